import type { Metadata } from "next";
import { notFound } from "next/navigation";
import { createLoader, type SearchParams } from "nuqs/server";
import { EXECUTION_FILTERS, toListInput } from "@/app/_components/executions/list/execution-filters";
import { RECENT_CALLS } from "@/app/_components/tools/detail/recent-calls-query";
import { periodParser, toStatisticsInput } from "@/app/_components/tools/detail/statistics-period";
import { ToolView } from "@/app/_components/tools/detail/tool-view";
import { toRangeEnds } from "@/app/_kit/list/time-range";
import { QueryBoundary } from "@/app/_kit/query-boundary";
import { ViewSkeleton } from "@/app/_kit/view-skeleton";
import { BY_CURSOR } from "@/app/_trpc/by-cursor";
import { decodeSegment } from "@/app/_trpc/decode-segment";
import { isUnknown } from "@/app/_trpc/is-unknown";
import { fetchNow, HydrateClient, prefetch, readTimeZone, trpc } from "@/app/_trpc/server";

interface Props {
  params: Promise<{ name: string }>;
  searchParams: Promise<SearchParams>;
}

export async function generateMetadata({ params }: Props): Promise<Metadata> {
  return { title: `${decodeSegment((await params).name) ?? "Not found"} · Tools` };
}

export default async function ToolPage({ params, searchParams }: Props) {
  const name = decodeSegment((await params).name);
  if (name === null) notFound();
  const asked = await searchParams;
  const askedAt = Date.now();
  try {
    await fetchNow(trpc.tools.get.queryOptions({ name }));
  } catch (error) {
    if (isUnknown(error)) notFound();
    throw error;
  }
  await Promise.all([prefetchTab(name, asked, askedAt), prefetch(trpc.executions.toolStats.queryOptions({ name }))]);
  return (
    <HydrateClient>
      <QueryBoundary title={`Couldn't load the tool ${name}`} skeleton={<ViewSkeleton of="tool" />}>
        <ToolView name={name} askedAt={askedAt} />
      </QueryBoundary>
    </HydrateClient>
  );
}

/** Requests the data that the open tab reads with suspense, before the tab is rendered here. */
async function prefetchTab(name: string, asked: SearchParams, askedAt: number): Promise<void> {
  if (asked.tab === "formats") await prefetch(trpc.tools.providerFormats.queryOptions({ name }));
  else if (asked.tab === "statistics") {
    const { period } = createLoader({ period: periodParser })(asked);
    const input = toStatisticsInput(name, period, await readTimeZone());
    await prefetch(trpc.executions.toolStatistics.queryOptions(input));
  } else if (asked.tab === "versions") await prefetch(trpc.tools.versions.infiniteQueryOptions({ name }, BY_CURSOR));
  else if (asked.tab === "history") {
    const filters = createLoader(EXECUTION_FILTERS.parsers)(asked);
    const input = toListInput({ ...filters, tool: [name] }, toRangeEnds(filters.range, askedAt, await readTimeZone()));
    await prefetch(trpc.executions.list.infiniteQueryOptions(input, BY_CURSOR), trpc.executions.facets.queryOptions());
  } else {
    await prefetch(
      trpc.executions.list.queryOptions({ filter: { tool: [name] }, limit: RECENT_CALLS }),
      typeof asked.from === "string" && trpc.executions.get.queryOptions({ id: asked.from }),
    );
  }
}
