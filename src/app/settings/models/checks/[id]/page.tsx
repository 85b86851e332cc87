import type { Metadata } from "next";
import { notFound } from "next/navigation";
import { isUnknown } from "@/app/_components/executions/is-unknown";
import { QueryBoundary } from "@/app/_components/frame/query-boundary";
import { CheckView } from "@/app/_components/models/checks/check-view";
import { ModelsSkeleton } from "@/app/_components/models/models-skeleton";
import { fetchNow, HydrateClient, trpc } from "@/app/_trpc/server";
import type { ModelCheckDetail } from "@/lib/contract";

interface CheckPageProps {
  params: Promise<{ id: string }>;
}

/** A refusal is the answer; asking again would only delay it. */
function read(id: string): Promise<ModelCheckDetail> {
  const once = { ...trpc.modelChecks.get.queryOptions({ id }), retry: false };
  return fetchNow<ModelCheckDetail>(once);
}

export async function generateMetadata({ params }: CheckPageProps): Promise<Metadata> {
  const { id } = await params;
  const name = await read(id).then(
    ({ model }) => model,
    () => id,
  );
  return { title: `${name} · Model checks` };
}

export default async function CheckPage({ params }: CheckPageProps) {
  const { id } = await params;
  try {
    await read(id);
  } catch (error) {
    // Anything else is asked for again by the view below, which says what is wrong and offers to retry.
    if (isUnknown(error)) notFound();
  }
  return (
    <HydrateClient>
      <QueryBoundary title="The check could not be read" skeleton={<ModelsSkeleton />}>
        <CheckView key={id} id={id} />
      </QueryBoundary>
    </HydrateClient>
  );
}
