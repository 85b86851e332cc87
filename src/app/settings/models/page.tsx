import type { Metadata } from "next";
import { QueryBoundary } from "@/app/_components/frame/query-boundary";
import { ModelsSkeleton } from "@/app/_components/models/models-skeleton";
import { ModelsView } from "@/app/_components/models/models-view";
import { HydrateClient, prefetch, trpc } from "@/app/_trpc/server";
import { PageHeader } from "@/app/_ui/page-header";
import { SettingsTabs } from "../settings-tabs";

export const metadata: Metadata = { title: "Models · Settings" };

export default function ModelsPage() {
  prefetch(trpc.models.providers.queryOptions());
  prefetch(trpc.models.choices.queryOptions());
  prefetch(trpc.modelChecks.scenarios.queryOptions());
  prefetch(trpc.modelChecks.list.infiniteQueryOptions({}, { getNextPageParam: (page) => page.nextCursor }));
  return (
    <HydrateClient>
      <PageHeader title="Settings">
        <SettingsTabs current="/settings/models" />
      </PageHeader>
      <QueryBoundary title="The models could not be read" skeleton={<ModelsSkeleton />}>
        <ModelsView />
      </QueryBoundary>
    </HydrateClient>
  );
}
