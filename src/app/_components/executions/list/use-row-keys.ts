import { type KeyboardEvent, type RefObject, useState } from "react";
import { useSingleKeys } from "@/app/_kit/preferences-provider";
import { hasModifier } from "@/app/_kit/shortcuts";
import { useListKeys } from "@/app/_kit/use-list-keys";
import type { ExecutionSummary } from "@/lib/contract/execution";

export interface RowKeyOptions {
  rows: readonly ExecutionSummary[];
  list: RefObject<HTMLElement | null>;
  search: RefObject<HTMLInputElement | null>;
  onOpen: (id: string) => void;
  onPeek: (id: string) => void;
  onToggleSelected: (id: string) => void;
  onTogglePinned: (row: ExecutionSummary) => void;
  onCompare: () => void;
  /** The last row was left downwards. */
  onPastEnd: () => void;
}

/** j/k and the arrows move, Enter opens, Space peeks, x selects, c compares, p pins, / searches. */
export function useRowKeys(options: RowKeyOptions) {
  const { rows, list, search, onPastEnd } = options;
  const singleKeys = useSingleKeys();
  const [focusedId, setFocusedId] = useState<string | null>(null);
  // Where the focused row is gone, the first one is the tab stop.
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
  const tabIndexOf = (row: ExecutionSummary): number => (row.id === currentId ? 0 : -1);
  return {
    focusRow,
    tabIndexOf,
    rowProps: (row: ExecutionSummary) => ({
      tabIndex: tabIndexOf(row),
      onFocus: () => setFocusedId(row.id),
      onKeyDown: (event: KeyboardEvent) => onRowKey(event, row),
    }),
  };
}
