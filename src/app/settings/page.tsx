import type { Metadata } from "next";
import { PageSkeleton } from "@/app/_kit/page-skeleton";
import { QueryBoundary } from "@/app/_kit/query-boundary";
import { HydrateClient, prefetch, trpc } from "@/app/_trpc/server";
import { PageHeader } from "@/app/_ui/page-header";
import { SettingsTabs } from "./settings-tabs";
import { SettingsView } from "./settings-view";

export const metadata: Metadata = { title: "Settings" };

export default async function SettingsPage() {
  await prefetch(trpc.system.info.queryOptions());
  return (
    <HydrateClient>
      <PageHeader title="Settings">
        <SettingsTabs current="/settings" />
      </PageHeader>
      <QueryBoundary title="Couldn't load settings" skeleton={<PageSkeleton of="settings" />}>
        <SettingsView />
      </QueryBoundary>
    </HydrateClient>
  );
}
