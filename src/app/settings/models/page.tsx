import type { Metadata } from "next";
import { ModelsView } from "@/app/_components/models/list/models-view";
import { prefetch, trpc } from "@/app/_trpc/server";
import { SettingsPage } from "../settings-page";

export const metadata: Metadata = { title: "Models · Settings" };

export default async function ModelsPage() {
  await prefetch(trpc.models.providers.queryOptions(), trpc.models.choices.queryOptions());
  return (
    <SettingsPage current="/settings/models" loads="models" skeleton="models">
      <ModelsView />
    </SettingsPage>
  );
}
