"use client";

import { useQuery, useSuspenseInfiniteQuery } from "@tanstack/react-query";
import { useDeferredValue, useMemo, useState } from "react";
import { RebuildingStatistics } from "@/app/_components/executions/summary/rebuilding-note";
import { useToolActions } from "@/app/_components/tools/actions/use-tool-actions";
import { formatImplementation } from "@/app/_components/tools/summary/implementation-label";
import { LoadProblems } from "@/app/_components/tools/summary/load-problems";
import { type ListDeclaration, ResourceList } from "@/app/_kit/list/resource-list";
import { useList } from "@/app/_kit/list/use-list";
import { usePages } from "@/app/_kit/use-pages";
import { BY_CURSOR } from "@/app/_trpc/by-cursor";
import { trpc } from "@/app/_trpc/client";
import { useHasAccounts } from "@/app/_ui/access";
import { ActionProblem } from "@/app/_ui/action-problem";
import { EmptyState } from "@/app/_ui/empty-state";
import { TOOL_SORTS } from "@/lib/contract/tool-filter";
import type { ListedTool } from "@/lib/contract/tool-list";
import { formatCount } from "@/lib/format";
import { buildColumns } from "./tool-columns";
import { TOOL_FILTERS, toListInput } from "./tool-filters";

const toKey = ({ name }: ListedTool): string => name;

const TOOL_LIST: Omit<ListDeclaration<ListedTool>, "noMatch"> = {
  label: "Tools",
  look: "catalog",
  toKey,
  empty: (
    <EmptyState
      heading="h2"
      title="No tools yet"
      next={{ href: "/tools/new", text: "Create the first tool", needs: "edit" }}
    >
      A tool is a name, a description, a JSON Schema for its arguments, and what it does when it is called. A mock needs
      no code.
    </EmptyState>
  ),
};

export function ToolsView() {
  const list = useList(TOOL_FILTERS);
  const { params, change, isFiltered } = list;
  const input = useMemo(() => toListInput(params), [params]);
  const shown = useDeferredValue(input);
  const { data: problems } = useQuery(trpc.tools.problems.queryOptions());
  const query = useSuspenseInfiniteQuery(trpc.tools.list.infiniteQueryOptions(shown, BY_CURSOR));
  const pages = usePages(query, { toKey });
  const { data: facets } = useQuery(trpc.tools.facets.queryOptions());
  const [problem, setProblem] = useState<string | null>(null);
  const actions = useToolActions({ report: setProblem, list: trpc.tools.list.infiniteQueryKey(shown) });
  const hasAccounts = useHasAccounts();
  const { matching = 0, total = 0 } = query.data.pages[0] ?? {};
  const inAll = `${formatCount(total)} tools`;
  return (
    <ResourceList
      {...TOOL_LIST}
      noMatch={{ title: "No matching tools", text: `${inAll} in the catalog.` }}
      columns={buildColumns(actions, hasAccounts)}
      columnsOf="tools"
      list={{ ...list, isBusy: input !== shown }}
      choices={{
        type: new Map(facets?.types.map((type) => [type, formatImplementation(type)])),
        server: facets?.servers,
        tag: facets?.tags,
      }}
      hidden={[!hasAccounts && "mine"]}
      rows={pages}
      total={total}
      sorted
      status={isFiltered ? `${formatCount(matching)} of ${inAll}` : inAll}
      sort={params.sort}
      onSort={(next) => change({ sort: TOOL_SORTS.find((each) => each === next) ?? null })}
    >
      <div className="flex flex-col gap-2 px-4 pt-3 empty:hidden">
        <LoadProblems problems={problems} />
        <RebuildingStatistics />
        <ActionProblem problem={problem} onDismiss={() => setProblem(null)} />
      </div>
    </ResourceList>
  );
}
