import type { Metadata } from "next";
import { createLoader, type SearchParams } from "nuqs/server";
import { EXECUTION_FILTERS, toListInput } from "@/app/_components/executions/list/execution-filters";
import { ExecutionsView } from "@/app/_components/executions/list/executions-view";
import { toRangeEnds } from "@/app/_kit/list/time-range";
import { ViewSkeleton } from "@/app/_kit/view-skeleton";
import { BY_CURSOR } from "@/app/_trpc/by-cursor";
import { HydrateClient, prefetch, readTimeZone, trpc } from "@/app/_trpc/server";

export const metadata: Metadata = { title: "Executions" };

const readFilters = createLoader(EXECUTION_FILTERS.parsers);

export default async function ExecutionsPage({ searchParams }: { searchParams: Promise<SearchParams> }) {
  const params = await readFilters(searchParams);
  const askedAt = Date.now();
  const input = toListInput(params, toRangeEnds(params.range, askedAt, await readTimeZone()));
  await prefetch(trpc.executions.list.infiniteQueryOptions(input, BY_CURSOR), trpc.executions.facets.queryOptions());
  return (
    <HydrateClient>
      <ExecutionsView askedAt={askedAt} skeleton={<ViewSkeleton of="executions" />} />
    </HydrateClient>
  );
}
