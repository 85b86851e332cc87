import type { Metadata } from "next";
import { RunView } from "@/app/_components/runs/detail/run-view";
import { QueryBoundary } from "@/app/_kit/query-boundary";
import { ViewSkeleton } from "@/app/_kit/view-skeleton";
import { fetchNow, fetchOrNotFound, HydrateClient, trpc } from "@/app/_trpc/server";
import type { RunDetail } from "@/lib/contract/run";

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
      <QueryBoundary title="Couldn't load the run" skeleton={<ViewSkeleton of="run" />}>
        <RunView key={id} id={id} />
      </QueryBoundary>
    </HydrateClient>
  );
}
