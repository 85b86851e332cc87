"use client";

import { useQuery } from "@tanstack/react-query";
import dynamic from "next/dynamic";
import { useRouter } from "next/navigation";
import { lazy, type RefObject, Suspense, useRef } from "react";
import { toComparePath, toggleSelected } from "@/app/_components/executions/summary/comparison";
import { usePin } from "@/app/_components/executions/summary/use-pin";
import { ListEnd } from "@/app/_kit/list-end";
import { useTRPC } from "@/app/_trpc/client";
import { useDenial } from "@/app/_ui/access";
import { Button } from "@/app/_ui/button";
import { formatCount } from "@/lib/format";
import type { ListInput } from "./execution-filter-params";
import { ExecutionTable } from "./execution-table";
import { type NewCalls, useExecutionPages } from "./use-execution-pages";
import { useRowKeys } from "./use-row-keys";

// A drawer, a result and its views: most visits to the list need none of it.
// Most lists have rows.
const ListEmpty = dynamic(() => import("./executions-empty").then((module) => module.ListEmpty));
const PeekDrawer = lazy(() => import("./peek-drawer").then((module) => ({ default: module.PeekDrawer })));

export interface ExecutionsListProps {
  input: ListInput;
  sort: string | null;
  onSort: (sort: string | null) => void;
  filtered: boolean;
  onClearFilters: () => void;
  paused: boolean;
  peekedId: string | null;
  onPeek: (id: string | null) => void;
  selectedIds: readonly string[];
  onSelect: (ids: string[]) => void;
  searchRef: RefObject<HTMLInputElement | null>;
  /** The list is one tool's: the column would say the same in every row. */
  withoutTool?: boolean;
}

/** The rows under a filter; suspends while they are read. */
export function ExecutionsList(props: ExecutionsListProps) {
  const { input, filtered, onClearFilters, paused, peekedId, onPeek, selectedIds, onSelect, searchRef } = props;
  const router = useRouter();
  const list = useRef<HTMLDivElement>(null);
  const trpc = useTRPC();
  const facets = useQuery(trpc.executions.facets.queryOptions());
  const pages = useExecutionPages(input, paused);
  const { rows, replaceRow, hasMore, loadMore } = pages;
  const pin = usePin((id, pinned) => replaceRow(id, (row) => ({ ...row, pinned })));
  const compare = toComparePath(selectedIds);

  const toggle = (id: string): void => onSelect(toggleSelected(selectedIds, id, rows));
  const mayPin = useDenial("run") === null;
  const togglePinned = (row: { id: string; pinned: boolean }): void => {
    if (mayPin) pin(row.id, !row.pinned);
  };
  const rowKeys = useRowKeys({
    rows,
    list,
    search: searchRef,
    onOpen: (id) => router.push(`/executions/${id}`),
    onPeek,
    onToggleSelected: toggle,
    onTogglePinned: togglePinned,
    onCompare: () => compare !== null && router.push(compare),
    onPastEnd: () => hasMore && loadMore(),
  });

  const peekedAt = rows.findIndex((row) => row.id === peekedId);
  function peekNext(by: 1 | -1): void {
    const next = rows[peekedAt + by];
    if (next === undefined) {
      if (by === 1 && hasMore) loadMore();
      return;
    }
    onPeek(next.id);
    list.current?.querySelector(`[data-execution="${next.id}"]`)?.scrollIntoView({ block: "nearest" });
  }

  return (
    <div ref={list} className="min-w-0">
      <NewCallsBar calls={pages.newCalls} onShow={pages.showNewest} />
      {pages.newestOnly !== undefined && (
        <p className="border-line border-b px-4 py-1.5 text-mute text-xs">
          Sorted among the newest {formatCount(pages.newestOnly)} matches. Narrow the search to include older ones.
        </p>
      )}
      {rows.length === 0 ? (
        <ListEmpty filtered={filtered} onClearFilters={onClearFilters} />
      ) : (
        <ExecutionTable
          rows={rows}
          peekedId={peekedId}
          selectedIds={selectedIds}
          withoutTool={props.withoutTool ?? false}
          withCaller={(facets.data?.actors.length ?? 0) > 1}
          sort={props.sort}
          onSort={props.onSort}
          onPeek={onPeek}
          onToggleSelected={toggle}
          onTogglePinned={togglePinned}
          rowKeys={rowKeys}
        />
      )}
      {peekedId !== null && (
        <Suspense fallback={null}>
          <PeekDrawer
            executionId={peekedId}
            onClose={() => onPeek(null)}
            onMove={peekNext}
            onCloseFocus={() => rowKeys.focusRow(Math.max(0, peekedAt))}
          />
        </Suspense>
      )}
      <ListEnd pages={pages} beginning="End of list" sorted={input.order !== undefined} />
    </div>
  );
}

/** New calls that are not in the list yet: the reader decides when the list moves. */
function NewCallsBar({ calls, onShow }: { calls: NewCalls; onShow: () => Promise<void> }) {
  const text = calls.uncertain ? "New calls available" : `${calls.count} new`;
  return (
    <div role="status" className="flex justify-center border-line border-b py-1.5 empty:hidden">
      {calls.count > 0 && (
        <Button className="text-accent" onClick={() => void onShow()}>
          {text} — show
        </Button>
      )}
    </div>
  );
}
