import type { Metadata } from "next";
import { ModelsView } from "@/app/_components/models/list/models-view";
import { Page } from "@/app/_kit/page";
import { BY_CURSOR } from "@/app/_trpc/by-cursor";
import { prefetch, trpc } from "@/app/_trpc/server";
import { SettingsTabs } from "../settings-tabs";

export const metadata: Metadata = { title: "Models · Settings" };

export default async function ModelsPage() {
  await prefetch(
    trpc.models.providers.queryOptions(),
    trpc.models.choices.queryOptions(),
    trpc.modelChecks.scenarios.queryOptions(),
    trpc.modelChecks.list.infiniteQueryOptions({}, BY_CURSOR),
  );
  return (
    <Page title="Settings" tabs={<SettingsTabs current="/settings/models" />} loads="models" skeleton="models">
      <ModelsView />
    </Page>
  );
}
