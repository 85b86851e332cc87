import type { Metadata } from "next";
import { cookies } from "next/headers";
import { PageSkeleton } from "@/app/_kit/page-skeleton";
import { QueryBoundary } from "@/app/_kit/query-boundary";
import { OVERVIEW_DAYS, PENDING_INPUT, RECENT_INPUT, RUNNING_INPUT } from "./_components/overview/overview-queries";
import { OverviewView } from "./_components/overview/overview-view";
import { fetchOrNull, HydrateClient, prefetch, trpc } from "./_trpc/server";
import { PageHeader } from "./_ui/page-header";
import { parseTimeZone, TIME_ZONE_COOKIE } from "./_ui/time-zone-cookie";

export const metadata: Metadata = { title: { absolute: "Overview · Toolroom" } };

export default async function OverviewPage() {
  const zone = parseTimeZone((await cookies()).get(TIME_ZONE_COOKIE)?.value);
  await prefetch(
    trpc.executions.overview.queryOptions({ days: OVERVIEW_DAYS, zone }),
    trpc.executions.list.queryOptions(RECENT_INPUT),
    trpc.executions.list.queryOptions(RUNNING_INPUT),
    trpc.tools.list.queryOptions(),
    trpc.approvals.list.queryOptions(PENDING_INPUT),
  );
  await fetchOrNull(trpc.servers.list.queryOptions());
  return (
    <HydrateClient>
      <PageHeader title="Overview" />
      <QueryBoundary title="Couldn't load the overview" skeleton={<PageSkeleton of="overview" />}>
        <OverviewView />
      </QueryBoundary>
    </HydrateClient>
  );
}
