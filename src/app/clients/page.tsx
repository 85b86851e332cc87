import type { Metadata } from "next";
import { ClientsView } from "@/app/_components/clients/clients-view";
import { Page } from "@/app/_kit/page";
import { prefetch, trpc } from "@/app/_trpc/server";

export const metadata: Metadata = { title: "Clients" };

export default async function ClientsPage() {
  await prefetch(trpc.clients.list.queryOptions());
  return (
    <Page title="Clients" loads="clients" skeleton="toolsets">
      <ClientsView />
    </Page>
  );
}
