import type { Metadata } from "next";
import { PeopleView } from "@/app/_components/accounts/people/people-view";
import { fetchActor, prefetch, trpc } from "@/app/_trpc/server";
import { explainDenial } from "@/lib/contract/access";
import { SettingsPage } from "../settings-page";

export const metadata: Metadata = { title: "People · Settings" };

export default async function PeoplePage() {
  const actor = await fetchActor();
  const administers = actor !== null && explainDenial(actor, "administer") === null;
  await prefetch(
    trpc.system.info.queryOptions(),
    administers && trpc.people.list.queryOptions(),
    administers && trpc.people.invitations.queryOptions(),
    administers && trpc.serviceAccounts.list.queryOptions(),
    administers && trpc.scim.get.queryOptions(),
    administers && trpc.toolsets.list.queryOptions(),
    administers && trpc.accessRules.get.queryOptions(),
  );
  return (
    <SettingsPage current="/settings/people" loads="people" skeleton="people">
      <PeopleView />
    </SettingsPage>
  );
}
