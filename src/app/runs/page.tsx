import { MessageSquare } from "lucide-react";
import type { Metadata } from "next";
import Link from "next/link";
import { createLoader, type SearchParams } from "nuqs/server";
import { QueryBoundary } from "@/app/_components/frame/query-boundary";
import { RUN_FILTER_PARAMS, RUN_PAGE_ROWS, toRunFilter } from "@/app/_components/runs/run-filter-params";
import { RunsSkeleton } from "@/app/_components/runs/runs-skeleton";
import { RunsTabs } from "@/app/_components/runs/runs-tabs";
import { RunsView } from "@/app/_components/runs/runs-view";
import { HydrateClient, prefetch, trpc } from "@/app/_trpc/server";
import { buttonClass } from "@/app/_ui/button";
import { PageHeader } from "@/app/_ui/page-header";

export const metadata: Metadata = { title: "Runs" };

const readFilters = createLoader(RUN_FILTER_PARAMS);

export default async function RunsPage({ searchParams }: { searchParams: Promise<SearchParams> }) {
  const filter = toRunFilter(await readFilters(searchParams));
  prefetch(
    trpc.runs.list.infiniteQueryOptions(
      { filter, limit: RUN_PAGE_ROWS },
      { getNextPageParam: (page) => page.nextCursor },
    ),
  );
  return (
    <HydrateClient>
      <div className="flex h-full min-h-0 flex-col">
        <PageHeader
          title="Runs"
          actions={
            <Link href="/playground" className={buttonClass({ variant: "primary" })}>
              <MessageSquare aria-hidden size={13} strokeWidth={1.6} />
              New conversation
            </Link>
          }
        >
          <RunsTabs current="runs" />
        </PageHeader>
        <QueryBoundary title="The runs could not be read" skeleton={<RunsSkeleton />}>
          <RunsView />
        </QueryBoundary>
      </div>
    </HydrateClient>
  );
}
