import type { Metadata } from "next";
import { createLoader, type SearchParams } from "nuqs/server";
import { ExecutionsView } from "@/app/_components/executions/executions-view";
import { FILTER_PARAMS, PAGE_ROWS, rangeStart, toFilter } from "@/app/_components/executions/filter-params";
import { HydrateClient, prefetch, trpc } from "@/app/_trpc/server";

export const metadata: Metadata = { title: "Executions" };

const readFilters = createLoader(FILTER_PARAMS);

export default async function ExecutionsPage({ searchParams }: { searchParams: Promise<SearchParams> }) {
  const params = await readFilters(searchParams);
  const askedAt = Date.now();
  const filter = toFilter(params, rangeStart(params.range, askedAt));
  prefetch(
    trpc.executions.list.infiniteQueryOptions(
      { filter, limit: PAGE_ROWS },
      { getNextPageParam: (page) => page.nextCursor },
    ),
  );
  prefetch(trpc.executions.facets.queryOptions());
  return (
    <HydrateClient>
      <ExecutionsView askedAt={askedAt} />
    </HydrateClient>
  );
}
