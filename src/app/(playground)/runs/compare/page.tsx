import type { Metadata } from "next";
import { redirect } from "next/navigation";
import { createLoader, parseAsString, type SearchParams } from "nuqs/server";
import { RunsSideBySide } from "@/app/_components/runs/compare/runs-side-by-side";
import { QueryBoundary } from "@/app/_kit/query-boundary";
import { ViewSkeleton } from "@/app/_kit/view-skeleton";
import { fetchOrNotFound, HydrateClient, trpc } from "@/app/_trpc/server";

export const metadata: Metadata = { title: "Compare · Runs" };

const readIds = createLoader({ left: parseAsString, right: parseAsString });

export default async function CompareRunsPage({ searchParams }: { searchParams: Promise<SearchParams> }) {
  const { left, right } = await readIds(searchParams);
  if (left === null) redirect("/runs");
  await Promise.all([left, right].map((id) => id !== null && fetchOrNotFound(trpc.runs.get.queryOptions({ id }))));
  return (
    <HydrateClient>
      <QueryBoundary title="Couldn't load the runs" skeleton={<ViewSkeleton of="run" />}>
        <RunsSideBySide key={`${left} ${right}`} leftId={left} rightId={right} />
      </QueryBoundary>
    </HydrateClient>
  );
}
