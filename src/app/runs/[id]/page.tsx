import type { Metadata } from "next";
import { notFound } from "next/navigation";
import { isUnknown } from "@/app/_components/executions/is-unknown";
import { QueryBoundary } from "@/app/_components/frame/query-boundary";
import { RunSkeleton } from "@/app/_components/run/run-skeleton";
import { RunView } from "@/app/_components/run/run-view";
import { fetchNow, HydrateClient, trpc } from "@/app/_trpc/server";
import type { RunDetail } from "@/lib/contract";

interface RunPageProps {
  params: Promise<{ id: string }>;
}

/** A refusal is the answer; asking again would only delay it. */
function read(id: string): Promise<RunDetail> {
  const once = { ...trpc.runs.get.queryOptions({ id }), retry: false };
  return fetchNow<RunDetail>(once);
}

export async function generateMetadata({ params }: RunPageProps): Promise<Metadata> {
  const { id } = await params;
  try {
    const { title } = await read(id);
    return { title: `${title === "" ? id : title} · Runs` };
  } catch {
    return { title: `${id} · Runs` };
  }
}

export default async function RunPage({ params }: RunPageProps) {
  const { id } = await params;
  try {
    await read(id);
  } catch (error) {
    // Anything else is asked for again by the view below, which says what is wrong and offers to retry.
    if (isUnknown(error)) notFound();
  }
  return (
    <HydrateClient>
      <QueryBoundary title="The run could not be shown" skeleton={<RunSkeleton />}>
        <RunView key={id} id={id} />
      </QueryBoundary>
    </HydrateClient>
  );
}
