import type { Metadata } from "next";
import { WebhooksView } from "@/app/_components/webhooks/webhooks-view";
import { fetchActor, prefetch, trpc } from "@/app/_trpc/server";
import { explainDenial } from "@/lib/contract/access";
import { SettingsPage } from "../settings-page";

export const metadata: Metadata = { title: "Webhooks · Settings" };

export default async function WebhooksPage() {
  const actor = await fetchActor();
  const administers = actor !== null && explainDenial(actor, "administer") === null;
  await prefetch(administers && trpc.webhooks.list.queryOptions());
  return (
    <SettingsPage current="/settings/webhooks" loads="webhooks" skeleton="webhooks">
      <WebhooksView />
    </SettingsPage>
  );
}
