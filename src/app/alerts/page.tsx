import type { Metadata } from "next";
import { AlertsView } from "@/app/_components/alerts/alerts-view";
import { Page } from "@/app/_kit/page";
import { BY_CURSOR } from "@/app/_trpc/by-cursor";
import { prefetch, trpc } from "@/app/_trpc/server";
import { PageBody } from "@/app/_ui/page-body";

export const metadata: Metadata = { title: "Alerts" };

export default async function AlertsPage() {
  await prefetch(trpc.alerts.rules.queryOptions(), trpc.alerts.history.infiniteQueryOptions({}, BY_CURSOR));
  return (
    <Page title="Alerts" loads="alerts" skeleton="alerts">
      <PageBody>
        <AlertsView />
      </PageBody>
    </Page>
  );
}
