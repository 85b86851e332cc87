import type { Metadata } from "next";
import { notFound } from "next/navigation";
import { createLoader, parseAsString, type SearchParams } from "nuqs/server";
import { logViewParser, OLD_SERVER_TABS, serverTabParser } from "@/app/_components/servers/detail/server-tabs";
import { ServerView } from "@/app/_components/servers/detail/server-view";
import { forwardOldTab } from "@/app/_kit/forward-old-tab";
import { Page } from "@/app/_kit/page";
import { BY_CURSOR } from "@/app/_trpc/by-cursor";
import { decodeSegment } from "@/app/_trpc/decode-segment";
import { fetchOrNotFound, prefetch, trpc } from "@/app/_trpc/server";

interface ServerPageProps {
  params: Promise<{ name: string }>;
  searchParams: Promise<SearchParams>;
}

const loadTab = createLoader({ tab: serverTabParser, show: logViewParser, q: parseAsString.withDefault("") });

export async function generateMetadata({ params }: ServerPageProps): Promise<Metadata> {
  return { title: `${decodeSegment((await params).name) ?? "Not found"} · Servers` };
}

export default async function ServerPage({ params, searchParams }: ServerPageProps) {
  const name = decodeSegment((await params).name);
  if (name === null) notFound();
  forwardOldTab(`/servers/${encodeURIComponent(name)}`, await searchParams, OLD_SERVER_TABS);
  await fetchOrNotFound(trpc.servers.get.queryOptions({ name }));
  const { tab, show, q } = await loadTab(searchParams);
  // The data that the open tab reads with suspense has to be requested before the tab is rendered here.
  await prefetch(
    tab === "tools" && trpc.servers.tools.infiniteQueryOptions({ name, q }, BY_CURSOR),
    tab === "changes" && trpc.servers.changes.infiniteQueryOptions({ name }, BY_CURSOR),
    tab === "log" && show === "output" && trpc.servers.log.queryOptions({ name }),
    tab === "log" && show === "messages" && trpc.servers.messages.queryOptions({ name }),
  );
  return (
    <Page loads={`the server ${name}`} skeleton="server">
      <ServerView key={name} name={name} />
    </Page>
  );
}
