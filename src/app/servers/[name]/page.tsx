import { createLoader, parseAsString } from "nuqs/server";
import { logViewParser, OLD_SERVER_TABS, serverTabParser } from "@/app/_components/servers/detail/server-tabs";
import { ServerView } from "@/app/_components/servers/detail/server-view";
import { forwardOldTab } from "@/app/_kit/forward-old-tab";
import { Page } from "@/app/_kit/page";
import { BY_CURSOR } from "@/app/_trpc/by-cursor";
import { type NamedPageProps, readName, titleByName } from "@/app/_trpc/named-page";
import { fetchOrNotFound, prefetch, trpc } from "@/app/_trpc/server";

const loadTab = createLoader({ tab: serverTabParser, show: logViewParser, q: parseAsString.withDefault("") });

export const generateMetadata = titleByName("Servers");

export default async function ServerPage(props: NamedPageProps) {
  const name = await readName(props);
  forwardOldTab(`/servers/${encodeURIComponent(name)}`, await props.searchParams, OLD_SERVER_TABS);
  await fetchOrNotFound(trpc.servers.get.queryOptions({ name }));
  const { tab, show, q } = await loadTab(props.searchParams);
  // The data that the open tab reads with suspense has to be requested before the tab is rendered here.
  await prefetch(
    tab === "tools" && trpc.servers.tools.infiniteQueryOptions({ name, q }, BY_CURSOR),
    tab === "changes" && trpc.servers.changes.infiniteQueryOptions({ name }, BY_CURSOR),
    tab === "conformance" && trpc.conformance.list.queryOptions({ name }),
    tab === "log" && show === "output" && trpc.servers.log.queryOptions({ name }),
    tab === "log" && show === "messages" && trpc.servers.messages.queryOptions({ name }),
  );
  return (
    <Page loads={`the server ${name}`} skeleton="server">
      <ServerView key={name} name={name} />
    </Page>
  );
}
