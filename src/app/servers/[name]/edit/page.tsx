import type { Metadata } from "next";
import { notFound } from "next/navigation";
import { EditServerView } from "@/app/_components/servers/form/edit-server-view";
import { Page } from "@/app/_kit/page";
import { decodeSegment } from "@/app/_trpc/decode-segment";
import { fetchOrNotFound, trpc } from "@/app/_trpc/server";

interface EditServerPageProps {
  params: Promise<{ name: string }>;
}

export async function generateMetadata({ params }: EditServerPageProps): Promise<Metadata> {
  return { title: `Edit ${decodeSegment((await params).name) ?? "server"} · Servers` };
}

export default async function EditServerPage({ params }: EditServerPageProps) {
  const name = decodeSegment((await params).name);
  if (name === null) notFound();
  await fetchOrNotFound(trpc.servers.get.queryOptions({ name }));
  return (
    <Page title={`Edit ${name}`} loads="settings" skeleton="serverForm" fill>
      <EditServerView name={name} />
    </Page>
  );
}
