import type { Metadata } from "next";
import { createLoader, parseAsString, type SearchParams } from "nuqs/server";
import { RunsSideBySide } from "@/app/_components/runs/compare/runs-side-by-side";
import { QueryBoundary } from "@/app/_kit/query-boundary";
import { ViewSkeleton } from "@/app/_kit/view-skeleton";
import { fetchOrNotFound, HydrateClient, trpc } from "@/app/_trpc/server";
import { buttonClass } from "@/app/_ui/button";
import { ErrorState } from "@/app/_ui/error-state";
import { Link } from "@/app/_ui/link";
import { PageHeader } from "@/app/_ui/page-header";

export const metadata: Metadata = { title: "Compare · Runs" };

const readIds = createLoader({ left: parseAsString, right: parseAsString });

export default async function CompareRunsPage({ searchParams }: { searchParams: Promise<SearchParams> }) {
  const { left, right } = await readIds(searchParams);
  if (left === null || right === null) {
    return (
      <>
        <PageHeader title="Compare runs" />
        <ErrorState
          title="Nothing to compare"
          message="The address must name two runs: left and right."
          action={
            <Link href="/runs" className={buttonClass({ variant: "primary" })}>
              Runs
            </Link>
          }
        />
      </>
    );
  }
  await Promise.all([left, right].map((id) => fetchOrNotFound(trpc.runs.get.queryOptions({ id }))));
  return (
    <HydrateClient>
      <QueryBoundary title="Couldn't load the runs" skeleton={<ViewSkeleton of="run" />}>
        <RunsSideBySide key={`${left} ${right}`} leftId={left} rightId={right} />
      </QueryBoundary>
    </HydrateClient>
  );
}
