"use client";

import { useRouter } from "next/navigation";
import { type RefObject, useCallback, useRef } from "react";
import { ListEnd } from "@/app/_components/frame/list-end";
import { Button } from "@/app/_ui/button";
import type { ExecutionFilter } from "@/lib/contract";
import { comparePath, toggleSelected } from "./comparison";
import { ExecutionTable } from "./execution-table";
import { ListEmpty } from "./list-empty";
import { useExecutionPages } from "./use-execution-pages";
import { type NewCalls, useLiveTail } from "./use-live-tail";
import { usePin } from "./use-pin";
import { useRowKeys } from "./use-row-keys";

export interface ExecutionsListProps {
  filter: ExecutionFilter;
  filtered: boolean;
  onClearFilters: () => void;
  paused: boolean;
  peekedId: string | null;
  onPeek: (id: string) => void;
  selectedIds: readonly string[];
  onSelect: (ids: string[]) => void;
  searchRef: RefObject<HTMLInputElement | null>;
  /** The list is one tool's: the column would say the same in every row. */
  withoutTool?: boolean;
}

/** The rows under a filter; suspends while they are read. */
export function ExecutionsList(props: ExecutionsListProps) {
  const { filter, filtered, onClearFilters, paused, peekedId, onPeek, selectedIds, onSelect, searchRef } = props;
  const router = useRouter();
  const list = useRef<HTMLDivElement>(null);
  const pages = useExecutionPages(filter);
  const { rows, replaceRow, hasOlder, loadOlder } = pages;
  const { waiting, show } = useLiveTail(filter, pages, paused);
  const pin = usePin(useCallback((id, pinned) => replaceRow(id, (row) => ({ ...row, pinned })), [replaceRow]));
  const compare = comparePath(selectedIds);

  const toggle = (id: string): void => onSelect(toggleSelected(selectedIds, id, rows));
  const togglePinned = (row: { id: string; pinned: boolean }): void => pin.mutate({ id: row.id, pinned: !row.pinned });
  const { currentId, onRowKey, onFocusRow } = useRowKeys({
    rows,
    list,
    search: searchRef,
    onOpen: (id) => router.push(`/executions/${id}`),
    onPeek,
    onToggleSelected: toggle,
    onTogglePinned: togglePinned,
    onCompare: () => compare !== null && router.push(compare),
    onPastEnd: () => {
      if (hasOlder) void loadOlder();
    },
  });

  return (
    <div ref={list} className="min-w-0">
      <NewCallsBar waiting={waiting} onShow={show} />
      {rows.length === 0 ? (
        <ListEmpty filtered={filtered} onClearFilters={onClearFilters} />
      ) : (
        <ExecutionTable
          rows={rows}
          currentId={currentId}
          peekedId={peekedId}
          selectedIds={selectedIds}
          withoutTool={props.withoutTool ?? false}
          onPeek={onPeek}
          onToggleSelected={toggle}
          onTogglePinned={togglePinned}
          onFocusRow={onFocusRow}
          onRowKey={onRowKey}
        />
      )}
      <ListEnd pages={pages} beginning="This is the beginning of the logbook." />
    </div>
  );
}

/** New calls that are not in sight yet: the reader decides when the list moves. */
function NewCallsBar({ waiting, onShow }: { waiting: NewCalls; onShow: () => Promise<void> }) {
  const text = waiting.uncertain ? "There may be new calls" : `${waiting.count} new`;
  return (
    <div role="status" className="flex justify-center border-line border-b py-1.5 empty:hidden">
      {waiting.count > 0 && (
        <Button
          className="text-accent"
          onClick={() => {
            void onShow();
          }}
        >
          {text} — show
        </Button>
      )}
    </div>
  );
}
