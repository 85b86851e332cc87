import type { Metadata } from "next";
import { BY_CURSOR } from "@/app/_trpc/by-cursor";
import { prefetch, trpc } from "@/app/_trpc/server";
import { SettingsPage } from "../settings-page";
import { InstallationView } from "./installation-view";

export const metadata: Metadata = { title: "General · Settings" };

export default async function InstallationPage() {
  await prefetch(
    trpc.system.info.queryOptions(),
    trpc.system.problems.infiniteQueryOptions({}, BY_CURSOR),
    trpc.agents.endpoint.queryOptions(),
    trpc.agents.tools.queryOptions(),
  );
  return (
    <SettingsPage current="/settings/installation" loads="settings" skeleton="settings">
      <InstallationView />
    </SettingsPage>
  );
}
