import { Plus } from "lucide-react";
import type { Metadata } from "next";
import { createLoader, type SearchParams } from "nuqs/server";
import { TOOL_FILTERS, toListInput } from "@/app/_components/tools/list/tool-filters";
import { ToolsView } from "@/app/_components/tools/list/tools-view";
import { Page } from "@/app/_kit/page";
import { BY_CURSOR } from "@/app/_trpc/by-cursor";
import { prefetch, trpc } from "@/app/_trpc/server";
import { ButtonLink } from "@/app/_ui/button";

export const metadata: Metadata = { title: "Tools" };

const readFilters = createLoader(TOOL_FILTERS.parsers);

export default async function ToolsPage({ searchParams }: { searchParams: Promise<SearchParams> }) {
  const input = toListInput(await readFilters(searchParams));
  await prefetch(
    trpc.tools.list.infiniteQueryOptions(input, BY_CURSOR),
    trpc.tools.facets.queryOptions(),
    trpc.tools.problems.queryOptions(),
    trpc.tools.favorites.queryOptions(),
  );
  return (
    <Page
      title="Tools"
      actions={
        <ButtonLink icon={Plus} needs="edit" href="/tools/new" variant="primary">
          New tool
        </ButtonLink>
      }
      loads="tools"
      skeleton="tools"
    >
      <ToolsView />
    </Page>
  );
}
