import { MessageSquare } from "lucide-react";
import type { Metadata } from "next";
import { createLoader, type SearchParams } from "nuqs/server";
import { RUN_FILTERS, RUN_PAGE_ROWS } from "@/app/_components/runs/list/run-filters";
import { RunsTabs } from "@/app/_components/runs/list/runs-tabs";
import { RunsView } from "@/app/_components/runs/list/runs-view";
import { Page } from "@/app/_kit/page";
import { BY_CURSOR } from "@/app/_trpc/by-cursor";
import { prefetch, trpc } from "@/app/_trpc/server";
import { buttonClass } from "@/app/_ui/button";
import { Link } from "@/app/_ui/link";

export const metadata: Metadata = { title: "Runs" };

const readFilters = createLoader(RUN_FILTERS.parsers);

export default async function RunsPage({ searchParams }: { searchParams: Promise<SearchParams> }) {
  const filter = RUN_FILTERS.toFilter(await readFilters(searchParams));
  await prefetch(trpc.runs.list.infiniteQueryOptions({ filter, limit: RUN_PAGE_ROWS }, BY_CURSOR));
  return (
    <Page
      title="Runs"
      actions={
        <Link href="/playground" className={buttonClass({ variant: "primary" })}>
          <MessageSquare aria-hidden size={13} strokeWidth={1.6} />
          New conversation
        </Link>
      }
      tabs={<RunsTabs current="runs" />}
      loads="runs"
      skeleton="runs"
      fill
    >
      <RunsView />
    </Page>
  );
}
