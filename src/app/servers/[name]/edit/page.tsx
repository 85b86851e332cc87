import type { Metadata } from "next";
import { notFound } from "next/navigation";
import { QueryBoundary } from "@/app/_components/frame/query-boundary";
import { EditServerView } from "@/app/_components/servers/form/edit-server-view";
import { FormSkeleton } from "@/app/_components/servers/form/form-skeleton";
import { nameInSegment } from "@/app/_components/servers/server-name";
import { fetchOrNotFound, HydrateClient, trpc } from "@/app/_trpc/server";
import { PageHeader } from "@/app/_ui/page-header";

interface EditServerPageProps {
  params: Promise<{ name: string }>;
}

export async function generateMetadata({ params }: EditServerPageProps): Promise<Metadata> {
  return { title: `Edit ${nameInSegment((await params).name) ?? "server"} · Servers` };
}

export default async function EditServerPage({ params }: EditServerPageProps) {
  const name = nameInSegment((await params).name);
  if (name === null) notFound();
  await fetchOrNotFound(trpc.servers.get.queryOptions({ name }));
  return (
    <HydrateClient>
      <div className="flex h-full flex-col">
        <PageHeader title={`Edit ${name}`} />
        <QueryBoundary title="The settings could not be read" skeleton={<FormSkeleton />}>
          <EditServerView name={name} />
        </QueryBoundary>
      </div>
    </HydrateClient>
  );
}
