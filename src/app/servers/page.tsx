import { Plus } from "lucide-react";
import type { Metadata } from "next";
import { createLoader, type SearchParams } from "nuqs/server";
import { SERVER_FILTERS, toListInput } from "@/app/_components/servers/list/server-filters";
import { ServersView } from "@/app/_components/servers/list/servers-view";
import { Page } from "@/app/_kit/page";
import { BY_CURSOR } from "@/app/_trpc/by-cursor";
import { prefetch, trpc } from "@/app/_trpc/server";
import { ButtonLink } from "@/app/_ui/button";
import { FIGURE_DAYS } from "@/lib/contract/tool-filter";

export const metadata: Metadata = { title: "Servers" };

const readFilters = createLoader(SERVER_FILTERS.parsers);

export default async function ServersPage({ searchParams }: { searchParams: Promise<SearchParams> }) {
  const input = toListInput(await readFilters(searchParams));
  await prefetch(
    trpc.servers.page.infiniteQueryOptions(input, BY_CURSOR),
    trpc.servers.problems.queryOptions(),
    trpc.executions.serverFigures.queryOptions({ days: FIGURE_DAYS }),
  );
  return (
    <Page
      title="Servers"
      actions={
        <ButtonLink icon={Plus} needs="edit" href="/servers/new" variant="primary">
          Add server
        </ButtonLink>
      }
      loads="servers"
      skeleton="servers"
    >
      <ServersView />
    </Page>
  );
}
