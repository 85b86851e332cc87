import type { Metadata } from "next";
import { notFound } from "next/navigation";
import { createLoader, parseAsString, type SearchParams } from "nuqs/server";
import { CompareRunsView } from "@/app/_components/suites/run/compare-runs-view";
import { Page } from "@/app/_kit/page";
import { fetchOrNotFound, trpc } from "@/app/_trpc/server";

export const metadata: Metadata = { title: "Compare runs · Suites" };

const readIds = createLoader({ left: parseAsString, right: parseAsString });

export default async function CompareRunsPage({ searchParams }: { searchParams: Promise<SearchParams> }) {
  const { left, right } = await readIds(searchParams);
  if (left === null || right === null) notFound();
  await Promise.all([left, right].map((id) => fetchOrNotFound(trpc.suites.getRun.queryOptions({ id }))));
  return (
    <Page loads="the runs" skeleton="models">
      <CompareRunsView key={`${left} ${right}`} leftId={left} rightId={right} />
    </Page>
  );
}
