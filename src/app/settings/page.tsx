import type { Metadata } from "next";
import { Page } from "@/app/_kit/page";
import { prefetch, trpc } from "@/app/_trpc/server";
import { SettingsTabs } from "./settings-tabs";
import { SettingsView } from "./settings-view";

export const metadata: Metadata = { title: "Settings" };

export default async function SettingsPage() {
  await prefetch(trpc.system.info.queryOptions());
  return (
    <Page title="Settings" tabs={<SettingsTabs current="/settings" />} loads="settings" skeleton="settings">
      <SettingsView />
    </Page>
  );
}
