import type { Metadata } from "next";
import { CheckView } from "@/app/_components/models/checks/check-view";
import { PageSkeleton } from "@/app/_kit/page-skeleton";
import { QueryBoundary } from "@/app/_kit/query-boundary";
import { fetchNow, fetchOrNotFound, HydrateClient, trpc } from "@/app/_trpc/server";
import type { ModelCheckDetail } from "@/lib/contract/model";

interface CheckPageProps {
  params: Promise<{ id: string }>;
}

export async function generateMetadata({ params }: CheckPageProps): Promise<Metadata> {
  const { id } = await params;
  const name = await fetchNow<ModelCheckDetail>(trpc.modelChecks.get.queryOptions({ id })).then(
    ({ model }) => model,
    () => id,
  );
  return { title: `${name} · Model checks` };
}

export default async function CheckPage({ params }: CheckPageProps) {
  const { id } = await params;
  await fetchOrNotFound(trpc.modelChecks.get.queryOptions({ id }));
  return (
    <HydrateClient>
      <QueryBoundary title="Couldn't load the check" skeleton={<PageSkeleton of="models" />}>
        <CheckView key={id} id={id} />
      </QueryBoundary>
    </HydrateClient>
  );
}
