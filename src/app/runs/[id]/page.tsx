import type { Metadata } from "next";
import { QueryBoundary } from "@/app/_components/frame/query-boundary";
import { RunSkeleton } from "@/app/_components/run/run-skeleton";
import { RunView } from "@/app/_components/run/run-view";
import { fetchNow, fetchOrNotFound, HydrateClient, trpc } from "@/app/_trpc/server";
import type { RunDetail } from "@/lib/contract";

interface RunPageProps {
  params: Promise<{ id: string }>;
}

export async function generateMetadata({ params }: RunPageProps): Promise<Metadata> {
  const { id } = await params;
  try {
    const { title } = await fetchNow<RunDetail>(trpc.runs.get.queryOptions({ id }));
    return { title: `${title === "" ? id : title} · Runs` };
  } catch {
    return { title: `${id} · Runs` };
  }
}

export default async function RunPage({ params }: RunPageProps) {
  const { id } = await params;
  await fetchOrNotFound(trpc.runs.get.queryOptions({ id }));
  return (
    <HydrateClient>
      <QueryBoundary title="The run could not be shown" skeleton={<RunSkeleton />}>
        <RunView key={id} id={id} />
      </QueryBoundary>
    </HydrateClient>
  );
}
