import type { Metadata } from "next";
import { Page } from "@/app/_kit/page";
import { NEWEST_INPUT, OVERVIEW_DAYS, PENDING_INPUT, SPEND_INPUT } from "./_components/overview/overview-queries";
import { OverviewView } from "./_components/overview/overview-view";
import { fetchOrNull, prefetch, readTimeZone, trpc } from "./_trpc/server";

export const metadata: Metadata = { title: { absolute: "Overview · Toolroom" } };

export default async function OverviewPage() {
  const zone = await readTimeZone();
  await prefetch(
    trpc.executions.overview.queryOptions({ days: OVERVIEW_DAYS, zone }),
    trpc.executions.list.queryOptions(NEWEST_INPUT),
    trpc.tools.overview.queryOptions(),
    trpc.approvals.list.queryOptions(PENDING_INPUT),
    trpc.spend.read.queryOptions(SPEND_INPUT),
  );
  await Promise.all([fetchOrNull(trpc.servers.overview.queryOptions()), fetchOrNull(trpc.clients.list.queryOptions())]);
  return (
    <Page title="Overview" loads="the overview" skeleton="overview">
      <OverviewView />
    </Page>
  );
}
