import type { Metadata } from "next";
import { QueryBoundary } from "./_components/frame/query-boundary";
import { OVERVIEW_DAYS, RECENT_INPUT, RUNNING_INPUT } from "./_components/overview/overview-queries";
import { OverviewSkeleton } from "./_components/overview/overview-skeleton";
import { OverviewView } from "./_components/overview/overview-view";
import { HydrateClient, prefetch, trpc } from "./_trpc/server";
import { PageHeader } from "./_ui/page-header";

export const metadata: Metadata = { title: { absolute: "Overview · Toolroom" } };

export default function OverviewPage() {
  prefetch(trpc.system.info.queryOptions());
  prefetch(trpc.executions.overview.queryOptions({ days: OVERVIEW_DAYS }));
  prefetch(trpc.executions.list.queryOptions(RECENT_INPUT));
  prefetch(trpc.executions.list.queryOptions(RUNNING_INPUT));
  prefetch(trpc.tools.list.queryOptions());
  prefetch(trpc.servers.list.queryOptions());
  return (
    <HydrateClient>
      <PageHeader title="Overview" />
      <QueryBoundary title="The overview could not be read" skeleton={<OverviewSkeleton />}>
        <OverviewView />
      </QueryBoundary>
    </HydrateClient>
  );
}
