import type { Metadata } from "next";
import { notFound } from "next/navigation";
import { ClientView } from "@/app/_components/clients/client-view";
import { Page } from "@/app/_kit/page";
import { decodeSegment } from "@/app/_trpc/decode-segment";
import { fetchOrNotFound, fetchOrNull, trpc } from "@/app/_trpc/server";
import type { ClientDetail } from "@/lib/contract/client";

interface ClientPageProps {
  params: Promise<{ id: string }>;
}

async function readId(params: ClientPageProps["params"]): Promise<string> {
  const id = decodeSegment((await params).id);
  if (id === null) notFound();
  return id;
}

export async function generateMetadata({ params }: ClientPageProps): Promise<Metadata> {
  const client = await fetchOrNull<ClientDetail>(trpc.clients.get.queryOptions({ client: await readId(params) }));
  return { title: `${client?.name ?? "Not found"} · Clients` };
}

export default async function ClientPage({ params }: ClientPageProps) {
  const id = await readId(params);
  await fetchOrNotFound(trpc.clients.get.queryOptions({ client: id }));
  return (
    <Page loads="the client" skeleton="webhooks">
      <ClientView key={id} id={id} />
    </Page>
  );
}
