import { useRouter } from "next/navigation";
import { parseAsString, useQueryState } from "nuqs";
import { type FocusEvent, type KeyboardEvent, type RefObject, Suspense, useRef, useState } from "react";
import { toComparePath, toggleSelected } from "@/app/_components/executions/summary/comparison";
import { usePin } from "@/app/_components/executions/summary/use-pin";
import { ListRows } from "@/app/_kit/list/list-rows";
import type { List } from "@/app/_kit/list/use-list";
import { useSingleKeys } from "@/app/_kit/preferences-provider";
import { hasModifier } from "@/app/_kit/shortcuts";
import { useIsBeside } from "@/app/_kit/use-is-beside";
import { useListKeys } from "@/app/_kit/use-list-keys";
import { useDenial } from "@/app/_ui/access";
import { Button } from "@/app/_ui/button";
import { EmptyState } from "@/app/_ui/empty-state";
import { lazyPart } from "@/app/_ui/on-demand";
import type { ExecutionSummary } from "@/lib/contract/execution";
import { formatCount } from "@/lib/format";
import { type FilterParams, type ListInput, SORTS } from "./execution-filters";
import { ExecutionTable } from "./execution-table";
import { type NewCalls, useExecutionPages } from "./use-execution-pages";

// A drawer, a result and its views: most visits to the list need none of it.
const PeekDrawer = lazyPart(() => import("./peek-drawer"), "PeekDrawer");

const NO_MATCH = { title: "No matching executions", text: "New matches appear automatically." };
const EMPTY = (
  <EmptyState heading="h2" title="No executions yet" next={{ href: "/tools", text: "Choose a tool to run" }}>
    Every call is recorded here. Run a tool from its page to see the first one.
  </EmptyState>
);

interface ExecutionsListProps {
  list: List<FilterParams>;
  input: ListInput;
  paused: boolean;
  selectedIds: readonly string[];
  onSelect: (ids: readonly string[]) => void;
  /** Whether calls of more than one actor are recorded. */
  withCaller: boolean;
}

/** The rows under a filter; suspends while they are read. */
export function ExecutionsList(props: ExecutionsListProps) {
  const { list, input, paused, selectedIds, onSelect, withCaller } = props;
  const router = useRouter();
  const holder = useRef<HTMLDivElement>(null);
  const [peekedId, setPeekedId] = useQueryState("peek", parseAsString);
  const pages = useExecutionPages(input, paused);
  const { rows, replaceRow, hasMore, loadMore } = pages;
  const pin = usePin((id, pinned) => replaceRow(id, (row) => ({ ...row, pinned })));
  const compare = toComparePath(selectedIds);
  const isBeside = useIsBeside();

  // Switching between calls adds no history entry: Back closes the drawer.
  const peek = (id: string | null) => void setPeekedId(id, { history: peekedId === null ? "push" : "replace" });
  const toggle = (id: string): void => onSelect(toggleSelected(selectedIds, id, rows));
  const mayPin = useDenial("run") === null;
  const togglePinned = (row: { id: string; pinned: boolean }): void => {
    if (mayPin) pin(row.id, !row.pinned);
  };
  const rowKeys = useRowKeys({
    rows,
    list: holder,
    search: list.searchRef,
    onOpen: (id) => router.push(`/executions/${id}`),
    onPeek: (id) => peek(id === peekedId ? null : id),
    onFocus: (id) => isBeside && peekedId !== null && id !== peekedId && peek(id),
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
    peek(next.id);
    holder.current?.querySelector(`[data-execution="${next.id}"]`)?.scrollIntoView({ block: "nearest" });
  }

  return (
    <div className="flex sm:h-full sm:min-h-0">
      <div ref={holder} className="min-w-0 flex-1 sm:overflow-auto">
        <NewCallsBar calls={pages.newCalls} onShow={pages.showNewest} />
        {pages.newestOnly !== undefined && (
          <p className="border-line border-b px-4 py-1.5 text-mute text-xs">
            Sorted among the newest {formatCount(pages.newestOnly)} matches. Narrow the search to include older ones.
          </p>
        )}
        <ListRows
          list={list}
          noMatch={NO_MATCH}
          empty={EMPTY}
          isEmpty={!list.isFiltered && rows.length === 0}
          pages={pages}
          sorted={input.order !== undefined}
        >
          {rows.length > 0 && (
            <ExecutionTable
              rows={rows}
              peekedId={peekedId}
              selectedIds={selectedIds}
              withCaller={withCaller}
              isNarrow={isBeside && peekedId !== null}
              search={list.params.q}
              sort={list.params.sort}
              onSort={(sort) => list.change({ sort: SORTS.find((each) => each === sort) ?? null })}
              onPeek={peek}
              onToggleSelected={toggle}
              onTogglePinned={togglePinned}
              rowKeys={rowKeys}
            />
          )}
        </ListRows>
      </div>
      {peekedId !== null && (
        <Suspense fallback={null}>
          <PeekDrawer
            executionId={peekedId}
            onClose={() => peek(null)}
            onMove={peekNext}
            onCloseFocus={() => rowKeys.focusRow(Math.max(0, peekedAt))}
          />
        </Suspense>
      )}
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

interface RowKeyOptions {
  rows: readonly ExecutionSummary[];
  list: RefObject<HTMLElement | null>;
  search: RefObject<HTMLInputElement | null>;
  onOpen: (id: string) => void;
  onPeek: (id: string) => void;
  /** Called when a row itself receives the focus. */
  onFocus: (id: string) => void;
  onToggleSelected: (id: string) => void;
  onTogglePinned: (row: ExecutionSummary) => void;
  onCompare: () => void;
  /** Called when the user moves down from the last row. */
  onPastEnd: () => void;
}

/** j/k and the arrows move (an open drawer follows), Enter opens, Space peeks, x selects, c compares, p pins, / searches. */
function useRowKeys(options: RowKeyOptions) {
  const { rows, list, search, onPastEnd } = options;
  const singleKeys = useSingleKeys();
  const [focusedId, setFocusedId] = useState<string | null>(null);
  // The first row is the tab stop when the focused row is no longer in the list.
  const currentId = rows.some((row) => row.id === focusedId) ? focusedId : (rows[0]?.id ?? null);
  const { moveFocus, focusRow } = useListKeys({ list, search, onPastEnd });

  function onRowKey(event: KeyboardEvent, row: ExecutionSummary): void {
    if (hasModifier(event)) return;
    const actions = new Map<string, () => void>([
      ["ArrowDown", () => moveFocus(1)],
      ["ArrowUp", () => moveFocus(-1)],
      ["Home", () => focusRow(0)],
      ["End", () => focusRow(-1)],
    ]);
    if (event.target === event.currentTarget) {
      actions.set("Enter", () => options.onOpen(row.id));
      actions.set(" ", () => options.onPeek(row.id));
    }
    if (singleKeys) {
      actions.set("x", () => options.onToggleSelected(row.id));
      actions.set("c", options.onCompare);
      actions.set("p", () => options.onTogglePinned(row));
    }
    const action = actions.get(event.key);
    if (!action) return;
    event.preventDefault();
    action();
  }

  /** The current row and its controls are the only tab stops of the list. */
  const getTabIndex = (row: ExecutionSummary): number => (row.id === currentId ? 0 : -1);
  return {
    focusRow,
    getTabIndex,
    rowProps: (row: ExecutionSummary) => ({
      tabIndex: getTabIndex(row),
      onFocus: (event: FocusEvent) => {
        setFocusedId(row.id);
        if (event.target === event.currentTarget) options.onFocus(row.id);
      },
      onKeyDown: (event: KeyboardEvent) => onRowKey(event, row),
    }),
  };
}
