import type { Metadata } from "next";
import { notFound } from "next/navigation";
import { createLoader, type SearchParams } from "nuqs/server";
import { QueryBoundary } from "@/app/_components/frame/query-boundary";
import { ServerSkeleton } from "@/app/_components/server/server-skeleton";
import { serverTabParser } from "@/app/_components/server/server-tabs";
import { ServerView } from "@/app/_components/server/server-view";
import { nameInSegment } from "@/app/_components/servers/server-name";
import { fetchOrNotFound, HydrateClient, prefetch, trpc } from "@/app/_trpc/server";

interface ServerPageProps {
  params: Promise<{ name: string }>;
  searchParams: Promise<SearchParams>;
}

const loadTab = createLoader({ tab: serverTabParser });

export async function generateMetadata({ params }: ServerPageProps): Promise<Metadata> {
  return { title: `${nameInSegment((await params).name) ?? "Not found"} · Servers` };
}

export default async function ServerPage({ params, searchParams }: ServerPageProps) {
  const name = nameInSegment((await params).name);
  if (name === null) notFound();
  await fetchOrNotFound(trpc.servers.get.queryOptions({ name }));
  const { tab } = await loadTab(searchParams);
  // What the open tab reads with suspense has to be on its way before it is rendered here.
  if (tab === "log") prefetch(trpc.servers.log.queryOptions({ name }));
  if (tab === "messages") prefetch(trpc.servers.messages.queryOptions({ name }));
  return (
    <HydrateClient>
      <QueryBoundary title={`The server ${name} could not be shown`} skeleton={<ServerSkeleton />}>
        <ServerView key={name} name={name} />
      </QueryBoundary>
    </HydrateClient>
  );
}
