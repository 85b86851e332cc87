import type { Metadata } from "next";
import { AlertsView } from "@/app/_components/alerts/alerts-view";
import { BY_CURSOR } from "@/app/_trpc/by-cursor";
import { prefetch, trpc } from "@/app/_trpc/server";
import { SettingsPage } from "../settings-page";

export const metadata: Metadata = { title: "Alerts · Settings" };

export default async function AlertsPage() {
  await prefetch(trpc.alerts.rules.queryOptions(), trpc.alerts.history.infiniteQueryOptions({}, BY_CURSOR));
  return (
    <SettingsPage current="/settings/alerts" loads="alerts" skeleton="alerts">
      <AlertsView />
    </SettingsPage>
  );
}
