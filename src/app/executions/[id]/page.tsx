import type { Metadata } from "next";
import { notFound } from "next/navigation";
import { ExecutionSkeleton } from "@/app/_components/executions/execution-skeleton";
import { ExecutionView } from "@/app/_components/executions/execution-view";
import { isUnknown } from "@/app/_components/executions/is-unknown";
import { QueryBoundary } from "@/app/_components/frame/query-boundary";
import { fetchNow, HydrateClient, trpc } from "@/app/_trpc/server";

interface ExecutionPageProps {
  params: Promise<{ id: string }>;
}

export async function generateMetadata({ params }: ExecutionPageProps): Promise<Metadata> {
  const { id } = await params;
  return { title: `${id} · Executions` };
}

export default async function ExecutionPage({ params }: ExecutionPageProps) {
  const { id } = await params;
  // A refusal is the answer; asking again would only delay it.
  const once = { ...trpc.executions.get.queryOptions({ id }), retry: false };
  try {
    await fetchNow(once);
  } catch (error) {
    // Anything else is asked for again by the view below, which says what is wrong and offers to retry.
    if (isUnknown(error)) notFound();
  }
  return (
    <HydrateClient>
      <QueryBoundary title="The execution could not be read" skeleton={<ExecutionSkeleton />}>
        <ExecutionView key={id} id={id} />
      </QueryBoundary>
    </HydrateClient>
  );
}
