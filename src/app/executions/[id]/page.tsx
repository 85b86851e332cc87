import type { Metadata } from "next";
import { ExecutionView } from "@/app/_components/executions/detail/execution-view";
import { PageSkeleton } from "@/app/_kit/page-skeleton";
import { QueryBoundary } from "@/app/_kit/query-boundary";
import { fetchOrNotFound, HydrateClient, trpc } from "@/app/_trpc/server";

interface ExecutionPageProps {
  params: Promise<{ id: string }>;
}

export async function generateMetadata({ params }: ExecutionPageProps): Promise<Metadata> {
  const { id } = await params;
  return { title: `${id} · Executions` };
}

export default async function ExecutionPage({ params }: ExecutionPageProps) {
  const { id } = await params;
  await fetchOrNotFound(trpc.executions.get.queryOptions({ id }));
  return (
    <HydrateClient>
      <QueryBoundary title="Couldn't load the execution" skeleton={<PageSkeleton of="execution" />}>
        <ExecutionView key={id} id={id} />
      </QueryBoundary>
    </HydrateClient>
  );
}
