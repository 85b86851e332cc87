import type { Metadata } from "next";
import { OFFERED_INPUT } from "@/app/_components/playground/offered-tools";
import { PlaygroundView } from "@/app/_components/playground/playground-view";
import { QueryBoundary } from "@/app/_kit/query-boundary";
import { ViewSkeleton } from "@/app/_kit/view-skeleton";
import { fetchNow, fetchOrNotFound, fetchOrNull, HydrateClient, trpc } from "@/app/_trpc/server";
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
  const [run] = await Promise.all([
    fetchOrNull<RunDetail>(trpc.runs.get.queryOptions({ id })),
    fetchOrNull(trpc.models.choices.queryOptions()),
    fetchOrNull(trpc.tools.list.queryOptions(OFFERED_INPUT)),
  ]);
  return (
    <HydrateClient>
      <QueryBoundary title="Couldn't load the run" skeleton={<ViewSkeleton of="run" />}>
        {/* Passed as text, because React's encoding of a page's data drops keys such as `__proto__`. */}
        <PlaygroundView key={id} runId={id} initialSettingsText={run === null ? null : JSON.stringify(run.settings)} />
      </QueryBoundary>
    </HydrateClient>
  );
}
