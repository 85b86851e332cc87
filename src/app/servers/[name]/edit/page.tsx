import type { Metadata } from "next";
import { notFound } from "next/navigation";
import { EditServerView } from "@/app/_components/servers/form/edit-server-view";
import { PageSkeleton } from "@/app/_kit/page-skeleton";
import { QueryBoundary } from "@/app/_kit/query-boundary";
import { decodeSegment } from "@/app/_trpc/decode-segment";
import { fetchOrNotFound, HydrateClient, trpc } from "@/app/_trpc/server";
import { PageHeader } from "@/app/_ui/page-header";

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
    <HydrateClient>
      <div className="flex h-full flex-col">
        <PageHeader title={`Edit ${name}`} />
        <QueryBoundary title="Couldn't load settings" skeleton={<PageSkeleton of="serverForm" />}>
          <EditServerView name={name} />
        </QueryBoundary>
      </div>
    </HydrateClient>
  );
}
