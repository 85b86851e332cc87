import type { Metadata } from "next";
import { ExecutionSkeleton } from "@/app/_components/executions/execution-skeleton";
import { ExecutionView } from "@/app/_components/executions/execution-view";
import { QueryBoundary } from "@/app/_components/frame/query-boundary";
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
      <QueryBoundary title="The execution could not be read" skeleton={<ExecutionSkeleton />}>
        <ExecutionView key={id} id={id} />
      </QueryBoundary>
    </HydrateClient>
  );
}
