import type { Metadata } from "next";
import { notFound } from "next/navigation";
import { isUnknown } from "@/app/_components/executions/is-unknown";
import { QueryBoundary } from "@/app/_components/frame/query-boundary";
import { EditServerView } from "@/app/_components/servers/form/edit-server-view";
import { FormSkeleton } from "@/app/_components/servers/form/form-skeleton";
import { nameInSegment } from "@/app/_components/servers/server-name";
import { fetchNow, HydrateClient, trpc } from "@/app/_trpc/server";
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
  // A refusal is the answer; asking again would only delay it.
  const once = { ...trpc.servers.get.queryOptions({ name }), retry: false };
  try {
    await fetchNow(once);
  } catch (error) {
    // Anything else is asked for again by the view below, which says what is wrong and offers to retry.
    if (isUnknown(error)) notFound();
  }
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
