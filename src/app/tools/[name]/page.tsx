import type { Metadata } from "next";
import { notFound } from "next/navigation";
import { createLoader, type SearchParams } from "nuqs/server";
import { FILTER_PARAMS, PAGE_ROWS, rangeStart, toFilter } from "@/app/_components/executions/filter-params";
import { QueryBoundary } from "@/app/_components/frame/query-boundary";
import { RECENT_CALLS } from "@/app/_components/tool/recent-calls-query";
import { ToolSkeleton } from "@/app/_components/tool/tool-skeleton";
import { ToolView } from "@/app/_components/tool/tool-view";
import { isUnknown } from "@/app/_trpc/is-unknown";
import { fetchNow, HydrateClient, prefetch, trpc } from "@/app/_trpc/server";

interface Props {
  params: Promise<{ name: string }>;
  searchParams: Promise<SearchParams>;
}

export async function generateMetadata({ params }: Props): Promise<Metadata> {
  return { title: `${nameIn((await params).name) ?? "Not found"} · Tools` };
}

export default async function ToolPage({ params, searchParams }: Props) {
  const name = nameIn((await params).name);
  if (name === null) notFound();
  const asked = await searchParams;
  const askedAt = Date.now();
  try {
    await fetchNow(trpc.tools.get.queryOptions({ name }));
  } catch (error) {
    if (isUnknown(error)) notFound();
    throw error;
  }
  await prefetchTab(name, asked, askedAt);
  prefetch(trpc.executions.toolStats.queryOptions({ name }));
  return (
    <HydrateClient>
      <QueryBoundary title={`The tool ${name} could not be shown`} skeleton={<ToolSkeleton />}>
        <ToolView name={name} askedAt={askedAt} />
      </QueryBoundary>
    </HydrateClient>
  );
}

/** The segment as it was before it was encoded; null for what nobody encoded. */
function nameIn(segment: string): string | null {
  try {
    return decodeURIComponent(segment);
  } catch {
    return null;
  }
}

/** What the open tab reads with suspense has to be on its way before it is rendered here. */
async function prefetchTab(name: string, asked: SearchParams, askedAt: number): Promise<void> {
  if (asked.tab === "formats") prefetch(trpc.tools.providerFormats.queryOptions({ name }));
  else if (asked.tab === "history") {
    const filters = createLoader(FILTER_PARAMS)(asked);
    const filter = toFilter({ ...filters, tool: [name] }, rangeStart(filters.range, askedAt));
    prefetch(
      trpc.executions.list.infiniteQueryOptions(
        { filter, limit: PAGE_ROWS },
        { getNextPageParam: (page) => page.nextCursor },
      ),
    );
    prefetch(trpc.executions.facets.queryOptions());
  } else {
    prefetch(trpc.executions.list.queryOptions({ filter: { tool: [name] }, limit: RECENT_CALLS }));
    if (typeof asked.from === "string") prefetch(trpc.executions.get.queryOptions({ id: asked.from }));
  }
}
