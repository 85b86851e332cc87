import type { Metadata } from "next";
import { QueryBoundary } from "@/app/_components/frame/query-boundary";
import { HydrateClient, prefetch, trpc } from "@/app/_trpc/server";
import { PageHeader } from "@/app/_ui/page-header";
import { SettingsSkeleton } from "./settings-skeleton";
import { SettingsTabs } from "./settings-tabs";
import { SettingsView } from "./settings-view";

export const metadata: Metadata = { title: "Settings" };

export default function SettingsPage() {
  prefetch(trpc.system.info.queryOptions());
  return (
    <HydrateClient>
      <PageHeader title="Settings">
        <SettingsTabs current="/settings" />
      </PageHeader>
      <QueryBoundary title="The settings could not be read" skeleton={<SettingsSkeleton />}>
        <SettingsView />
      </QueryBoundary>
    </HydrateClient>
  );
}
