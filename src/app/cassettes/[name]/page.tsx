import { CassetteView } from "@/app/_components/cassettes/cassette-view";
import { Page } from "@/app/_kit/page";
import { type NamedPageProps, readName, titleByName } from "@/app/_trpc/named-page";
import { fetchOrNotFound, prefetch, trpc } from "@/app/_trpc/server";

export const generateMetadata = titleByName("Cassettes");

export default async function CassettePage(props: NamedPageProps) {
  const name = await readName(props);
  await fetchOrNotFound(trpc.cassettes.get.queryOptions({ name }));
  await prefetch(trpc.cassettes.sessions.queryOptions({ name }));
  return (
    <Page loads={`the cassette ${name}`} skeleton="webhooks">
      <CassetteView key={name} name={name} />
    </Page>
  );
}
