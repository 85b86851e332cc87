"use client";

import { useQuery, useSuspenseQuery } from "@tanstack/react-query";
import { parseAsStringLiteral, useQueryState, useQueryStates } from "nuqs";
import { useMemo, useRef } from "react";
import { useToolActions } from "@/app/_components/tools/actions/use-tool-actions";
import { LoadProblems } from "@/app/_components/tools/summary/load-problems";
import { useFavorites } from "@/app/_components/tools/summary/use-favorites";
import { useListKeys } from "@/app/_kit/use-list-keys";
import { useTRPC } from "@/app/_trpc/client";
import { usePrincipal } from "@/app/_ui/access";
import { ActionProblem } from "@/app/_ui/action-problem";
import { Button, buttonClass } from "@/app/_ui/button";
import { EmptyState } from "@/app/_ui/empty-state";
import { Link } from "@/app/_ui/link";
import { formatCount } from "@/lib/format";
import { ToolFilterBar } from "./tool-filter-bar";
import { filterTools, isFiltered, NO_TOOL_FILTERS, type ToolFilters, toolFilterParsers } from "./tool-filters";
import { FIGURE_DAYS, sortTools, TOOL_SORTS } from "./tool-order";
import { ToolTable } from "./tool-table";

export function ToolsView() {
  const trpc = useTRPC();
  const { data } = useSuspenseQuery(trpc.tools.list.queryOptions());
  const [filters, setFilters] = useQueryStates(toolFilterParsers);
  const { actions, problem, dismiss } = useToolActions();
  const list = useRef<HTMLDivElement>(null);
  const search = useRef<HTMLInputElement>(null);
  useListKeys({ list, search });

  const [sort, setSort] = useQueryState("sort", parseAsStringLiteral(TOOL_SORTS).withOptions({ history: "push" }));
  const { data: calls } = useQuery(trpc.executions.toolFigures.queryOptions({ days: FIGURE_DAYS }));
  const figures = useMemo(() => calls && new Map(calls.map((row) => [row.toolName, row])), [calls]);

  const favorites = useFavorites();
  const me = usePrincipal().id;
  const matching = filterTools(data.items, filters, { favorites, me });
  const shown = sortTools(matching, { figures: figures ?? new Map(), favorites }, sort);
  const clear = () => void setFilters(NO_TOOL_FILTERS);
  const change = (part: Partial<ToolFilters>) => void setFilters(part);

  return (
    <>
      {data.items.length > 0 && (
        <div className="bg-panel">
          <ToolFilterBar
            tools={data.items}
            filters={filters}
            onChange={change}
            sort={sort}
            onSort={(next) => void setSort(next)}
            searchRef={search}
          />
        </div>
      )}
      {(data.problems.length > 0 || problem !== null) && (
        <div className="flex flex-col gap-2 px-4 pt-3">
          <LoadProblems problems={data.problems} />
          <ActionProblem problem={problem} onDismiss={dismiss} />
        </div>
      )}
      <p role="status" className="px-4 pt-2.5 text-mute text-xs">
        {isFiltered(filters)
          ? `${formatCount(shown.length)} of ${formatCount(data.items.length)} tools`
          : `${formatCount(data.items.length)} tools`}
      </p>
      <div ref={list}>
        {shown.length > 0 && (
          <ToolTable
            tools={shown}
            actions={actions}
            figures={figures ?? null}
            sort={sort}
            onSort={(next) => void setSort(TOOL_SORTS.find((each) => each === next) ?? null)}
          />
        )}
        {shown.length === 0 && data.items.length > 0 && (
          <EmptyState
            heading="h2"
            title="No matching tools"
            action={<Button onClick={clear}>Clear search and filters</Button>}
          >
            {formatCount(data.items.length)} tools in the catalog.
          </EmptyState>
        )}
        {data.items.length === 0 && <NoTools />}
      </div>
    </>
  );
}

function NoTools() {
  return (
    <EmptyState
      heading="h2"
      title="No tools yet"
      action={
        <Link needs="edit" href="/tools/new" className={buttonClass({ variant: "primary" })}>
          Create the first tool
        </Link>
      }
    >
      A tool is a name, a description, a JSON Schema for its arguments, and what it does when it is called. A mock needs
      no code.
    </EmptyState>
  );
}
