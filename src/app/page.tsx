import type { Metadata } from "next";
import { cookies } from "next/headers";
import { Page } from "@/app/_kit/page";
import { OVERVIEW_DAYS, PENDING_INPUT, RECENT_INPUT, RUNNING_INPUT } from "./_components/overview/overview-queries";
import { OverviewView } from "./_components/overview/overview-view";
import { fetchOrNull, prefetch, trpc } from "./_trpc/server";
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
    <Page title="Overview" loads="the overview" skeleton="overview">
      <OverviewView />
    </Page>
  );
}
