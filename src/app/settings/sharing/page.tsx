import type { Metadata } from "next";
import { SharingView } from "@/app/_components/sharing/sharing-view";
import { prefetch, trpc } from "@/app/_trpc/server";
import { SettingsPage } from "../settings-page";

export const metadata: Metadata = { title: "Import and export · Settings" };

export default async function SharingPage() {
  await prefetch(
    trpc.tools.list.queryOptions(),
    trpc.servers.list.queryOptions(),
    trpc.toolsets.list.queryOptions(),
    trpc.rules.list.queryOptions(),
  );
  return (
    <SettingsPage current="/settings/sharing" loads="the catalog" skeleton="settings">
      <SharingView />
    </SettingsPage>
  );
}
