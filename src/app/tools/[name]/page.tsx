import type { Metadata } from "next";
import { notFound } from "next/navigation";
import { QueryBoundary } from "@/app/_components/frame/query-boundary";
import { ToolSkeleton } from "@/app/_components/tool/tool-skeleton";
import { ToolView } from "@/app/_components/tool/tool-view";
import { fetchNow, HydrateClient, prefetch, trpc } from "@/app/_trpc/server";

interface Props {
  params: Promise<{ name: string }>;
  searchParams: Promise<{ from?: string | string[]; tab?: string | string[] }>;
}

export async function generateMetadata({ params }: Props): Promise<Metadata> {
  const { name } = await params;
  return { title: `${decodeURIComponent(name)} · Tools` };
}

export default async function ToolPage({ params, searchParams }: Props) {
  const name = decodeURIComponent((await params).name);
  const { from, tab } = await searchParams;
  try {
    await fetchNow(trpc.tools.get.queryOptions({ name }));
  } catch (error) {
    if ((error as { code?: unknown }).code === "NOT_FOUND") notFound();
    throw error;
  }
  prefetch(trpc.executions.toolStats.queryOptions({ name }));
  if (tab === undefined || tab === "run")
    prefetch(trpc.executions.list.queryOptions({ filter: { tool: [name] }, limit: 6 }));
  if (typeof from === "string") prefetch(trpc.executions.get.queryOptions({ id: from }));
  return (
    <HydrateClient>
      <QueryBoundary title={`The tool ${name} could not be shown`} skeleton={<ToolSkeleton />}>
        <ToolView name={name} askedAt={Date.now()} />
      </QueryBoundary>
    </HydrateClient>
  );
}
