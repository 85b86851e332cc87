import type { Metadata } from "next";
import { PeopleView } from "@/app/_components/accounts/people/people-view";
import { PageSkeleton } from "@/app/_kit/page-skeleton";
import { QueryBoundary } from "@/app/_kit/query-boundary";
import { fetchActor, HydrateClient, prefetch, trpc } from "@/app/_trpc/server";
import { PageHeader } from "@/app/_ui/page-header";
import { explainDenial } from "@/lib/contract/access";
import { SettingsTabs } from "../settings-tabs";

export const metadata: Metadata = { title: "People · Settings" };

export default async function PeoplePage() {
  const actor = await fetchActor();
  const administers = actor !== null && explainDenial(actor, "administer") === null;
  await prefetch(
    trpc.system.info.queryOptions(),
    administers && trpc.people.list.queryOptions(),
    administers && trpc.people.invitations.queryOptions(),
  );
  return (
    <HydrateClient>
      <PageHeader title="Settings">
        <SettingsTabs current="/settings/people" />
      </PageHeader>
      <QueryBoundary title="Couldn't load people" skeleton={<PageSkeleton of="people" />}>
        <PeopleView />
      </QueryBoundary>
    </HydrateClient>
  );
}
