import type { Metadata } from "next";
import { redirect } from "next/navigation";
import { ConsentForm, ConsentProblem } from "@/app/_components/accounts/consent/consent-form";
import { ConsentRepeat } from "@/app/_components/accounts/consent/consent-repeat";
import { fetchActor, fetchNow, trpc } from "@/app/_trpc/server";
import type { ConsentRequest } from "@/lib/contract/connected-client-schema";

export const metadata: Metadata = { title: "Allow a program", referrer: "no-referrer" };

type Query = Record<string, string | string[] | undefined>;

/** The page on which a user allows an MCP client to act in the user's name. */
export default async function ConsentPage({ searchParams }: { searchParams: Promise<Query> }) {
  const [actor, query] = await Promise.all([fetchActor(), searchParams]);
  if (actor === null) redirect("/sign-in");
  const parameters = Object.entries(query).flatMap(([name, value]) => [value ?? []].flat().map((one) => [name, one]));
  const text = new URLSearchParams(parameters).toString();
  const request = await fetchNow<ConsentRequest | null>(trpc.account.consentRequest.queryOptions({ query: text }));
  if (request === null) return <ConsentProblem error={typeof query.error === "string" ? query.error : null} />;
  const covered = request.before !== null && !Object.values(request.before.changed).includes(true);
  const Consent = covered ? ConsentRepeat : ConsentForm;
  return <Consent request={request} user={actor.name} role={actor.role} />;
}
