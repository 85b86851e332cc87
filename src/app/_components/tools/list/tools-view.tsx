"use client";

import { useQuery, useSuspenseQuery } from "@tanstack/react-query";
import { useMemo, useState } from "react";
import { RebuildingStatistics } from "@/app/_components/executions/summary/rebuilding-note";
import { useToolActions } from "@/app/_components/tools/actions/use-tool-actions";
import { formatImplementation } from "@/app/_components/tools/summary/implementation-label";
import { LoadProblems } from "@/app/_components/tools/summary/load-problems";
import { useFavorites } from "@/app/_components/tools/summary/use-favorites";
import { type ListDeclaration, ResourceList } from "@/app/_kit/list/resource-list";
import { useList } from "@/app/_kit/list/use-list";
import { trpc } from "@/app/_trpc/client";
import { useHasAccounts, usePrincipal } from "@/app/_ui/access";
import { ActionProblem } from "@/app/_ui/action-problem";
import { EmptyState } from "@/app/_ui/empty-state";
import type { ToolSummary } from "@/lib/contract/catalog-tool";
import { formatCount } from "@/lib/format";
import { buildColumns } from "./tool-columns";
import { filterTools, listFilterChoices, TOOL_FILTERS } from "./tool-filters";
import { FIGURE_DAYS, sortTools, TOOL_SORTS } from "./tool-order";

/** Rows rendered at once: a catalog of thousands must not make typing in the search slow. */
const STEP = 100;

const TOOL_LIST: Omit<ListDeclaration<ToolSummary>, "noMatch"> = {
  label: "Tools",
  look: "catalog",
  toKey: ({ name }) => name,
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
  const { data } = useSuspenseQuery(trpc.tools.list.queryOptions());
  const list = useList(TOOL_FILTERS);
  const { params, change, isFiltered } = list;
  const [problem, setProblem] = useState<string | null>(null);
  const actions = useToolActions({ report: setProblem });
  const { data: calls } = useQuery(trpc.executions.toolFigures.queryOptions({ days: FIGURE_DAYS }));
  const figures = useMemo(() => calls && new Map(calls.map((row) => [row.toolName, row])), [calls]);
  const favorites = useFavorites();
  const me = usePrincipal().id;
  const hasAccounts = useHasAccounts();
  const matching = filterTools(data.items, params, { favorites, me });
  const shown = sortTools(matching, { figures: figures ?? new Map(), favorites }, params.sort);
  const { types, servers, tags } = listFilterChoices(data.items);
  const columns = buildColumns(actions, figures ?? null, hasAccounts);
  const total = formatCount(data.items.length);
  return (
    <ResourceList
      {...TOOL_LIST}
      noMatch={{ title: "No matching tools", text: `${total} tools in the catalog.` }}
      columns={columns}
      columnsOf="tools"
      list={list}
      choices={{ type: new Map(types.map((type) => [type, formatImplementation(type)])), server: servers, tag: tags }}
      hidden={[!hasAccounts && "mine"]}
      rows={shown}
      total={data.items.length}
      status={isFiltered ? `${formatCount(shown.length)} of ${total} tools` : `${total} tools`}
      sort={params.sort}
      onSort={(next) => change({ sort: TOOL_SORTS.find((each) => each === next) ?? null })}
      step={STEP}
    >
      <div className="flex flex-col gap-2 px-4 pt-3 empty:hidden">
        <LoadProblems problems={data.problems} />
        <RebuildingStatistics />
        <ActionProblem problem={problem} onDismiss={() => setProblem(null)} />
      </div>
    </ResourceList>
  );
}
