import type { Metadata } from "next";
import { prefetch, trpc } from "@/app/_trpc/server";
import { SettingsPage } from "./settings-page";
import { SettingsView } from "./settings-view";

export const metadata: Metadata = { title: "Settings" };

export default async function GeneralSettings() {
  await prefetch(trpc.system.info.queryOptions());
  return (
    <SettingsPage current="/settings" loads="settings" skeleton="settings">
      <SettingsView />
    </SettingsPage>
  );
}
