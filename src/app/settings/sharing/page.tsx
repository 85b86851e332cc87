import type { Metadata } from "next";
import { SharingView } from "@/app/_components/sharing/sharing-view";
import { Page } from "@/app/_kit/page";
import { prefetch, trpc } from "@/app/_trpc/server";
import { SettingsTabs } from "../settings-tabs";

export const metadata: Metadata = { title: "Import and export · Settings" };

export default async function SharingPage() {
  await prefetch(trpc.tools.list.queryOptions(), trpc.servers.list.queryOptions(), trpc.toolsets.list.queryOptions());
  return (
    <Page title="Settings" tabs={<SettingsTabs current="/settings/sharing" />} loads="the catalog" skeleton="settings">
      <SharingView />
    </Page>
  );
}
