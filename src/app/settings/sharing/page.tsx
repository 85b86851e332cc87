import type { Metadata } from "next";
import { SharingView } from "@/app/_components/sharing/sharing-view";
import { PageSkeleton } from "@/app/_kit/page-skeleton";
import { QueryBoundary } from "@/app/_kit/query-boundary";
import { HydrateClient, prefetch, trpc } from "@/app/_trpc/server";
import { PageHeader } from "@/app/_ui/page-header";
import { SettingsTabs } from "../settings-tabs";

export const metadata: Metadata = { title: "Import and export · Settings" };

export default async function SharingPage() {
  await prefetch(trpc.tools.list.queryOptions(), trpc.servers.list.queryOptions(), trpc.toolsets.list.queryOptions());
  return (
    <HydrateClient>
      <PageHeader title="Settings">
        <SettingsTabs current="/settings/sharing" />
      </PageHeader>
      <QueryBoundary title="Couldn't load the catalog" skeleton={<PageSkeleton of="settings" />}>
        <SharingView />
      </QueryBoundary>
    </HydrateClient>
  );
}
