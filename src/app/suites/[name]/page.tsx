import { SuiteView } from "@/app/_components/suites/suite-view";
import { Page } from "@/app/_kit/page";
import { BY_CURSOR } from "@/app/_trpc/by-cursor";
import { type NamedPageProps, readName, titleByName } from "@/app/_trpc/named-page";
import { fetchNow, fetchOrNotFound, prefetch, trpc } from "@/app/_trpc/server";
import type { Suite } from "@/lib/contract/suite";

export const generateMetadata = titleByName("Suites");

export default async function SuitePage(props: NamedPageProps) {
  const name = await readName(props);
  await fetchOrNotFound(trpc.suites.get.queryOptions({ name }));
  const { kind } = await fetchNow<Suite>(trpc.suites.get.queryOptions({ name }));
  if (kind === "tests") await prefetch(trpc.suites.runs.queryOptions({ suite: name }));
  else {
    await prefetch(
      trpc.suites.evals.queryOptions({ suite: name }),
      trpc.suites.runs.infiniteQueryOptions({ suite: name, kind: ["evals"] }, BY_CURSOR),
    );
  }
  return (
    <Page loads={`the suite ${name}`} skeleton="suite">
      <SuiteView key={name} name={name} />
    </Page>
  );
}
