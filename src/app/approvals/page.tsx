import type { Metadata } from "next";
import { createLoader, type SearchParams } from "nuqs/server";
import { APPROVAL_PARAMS, APPROVAL_ROWS } from "@/app/_components/approvals/list/approval-params";
import { ApprovalsView } from "@/app/_components/approvals/list/approvals-view";
import { BY_CURSOR } from "@/app/_trpc/by-cursor";
import { fetchNow, HydrateClient, prefetch, trpc } from "@/app/_trpc/server";

/** The number that the view keeps there: React puts this title in again when it takes the page over. */
export async function generateMetadata(): Promise<Metadata> {
  const { open } = await fetchNow<{ open: number }>(trpc.approvals.count.queryOptions()).catch(() => ({ open: 0 }));
  return { title: open > 0 ? `Approvals (${open})` : "Approvals" };
}

const readParams = createLoader(APPROVAL_PARAMS);

export default async function ApprovalsPage({ searchParams }: { searchParams: Promise<SearchParams> }) {
  const { tab, id } = await readParams(searchParams);
  await prefetch(
    trpc.approvals.list.infiniteQueryOptions({ status: tab, limit: APPROVAL_ROWS }, BY_CURSOR),
    trpc.approvals.count.queryOptions(),
    id !== null && trpc.approvals.get.queryOptions({ executionId: id }),
  );
  return (
    <HydrateClient>
      <ApprovalsView />
    </HydrateClient>
  );
}
