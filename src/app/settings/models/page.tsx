import type { Metadata } from "next";
import { ModelsView } from "@/app/_components/models/list/models-view";
import { PageSkeleton } from "@/app/_kit/page-skeleton";
import { QueryBoundary } from "@/app/_kit/query-boundary";
import { BY_CURSOR } from "@/app/_trpc/by-cursor";
import { HydrateClient, prefetch, trpc } from "@/app/_trpc/server";
import { PageHeader } from "@/app/_ui/page-header";
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
    <HydrateClient>
      <PageHeader title="Settings">
        <SettingsTabs current="/settings/models" />
      </PageHeader>
      <QueryBoundary title="Couldn't load models" skeleton={<PageSkeleton of="models" />}>
        <ModelsView />
      </QueryBoundary>
    </HydrateClient>
  );
}
