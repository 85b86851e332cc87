import type { Metadata } from "next";
import { StorageView } from "@/app/_components/storage/storage-view";
import { fetchActor, prefetch, trpc } from "@/app/_trpc/server";
import { explainDenial } from "@/lib/contract/access";
import { SettingsPage } from "../settings-page";

export const metadata: Metadata = { title: "Storage · Settings" };

export default async function StoragePage() {
  const actor = await fetchActor();
  const administers = actor !== null && explainDenial(actor, "administer") === null;
  await prefetch(
    administers && trpc.storage.get.queryOptions(),
    administers && trpc.retention.get.queryOptions(),
    administers && trpc.jobs.list.queryOptions(),
    trpc.servers.names.queryOptions(),
  );
  return (
    <SettingsPage current="/settings/storage" loads="storage" skeleton="storage">
      <StorageView />
    </SettingsPage>
  );
}
