import { type KeyboardEvent, type RefObject, useEffect, useState } from "react";
import { useSingleKeys } from "@/app/_components/frame/preferences-provider";
import { isTyping } from "@/app/_components/frame/shortcuts";
import type { ExecutionSummary } from "@/lib/contract";

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

function hasModifier(event: { altKey: boolean; ctrlKey: boolean; metaKey: boolean }): boolean {
  return event.altKey || event.ctrlKey || event.metaKey;
}

/** j/k and the arrows move, Enter opens, Space peeks, x selects, c compares, p pins, / searches. */
export function useRowKeys(options: RowKeyOptions) {
  const { rows, list, search } = options;
  const singleKeys = useSingleKeys();
  const [focusedId, setFocusedId] = useState<string | null>(null);
  // The row that was left may be gone: the first one takes its place.
  const currentId = rows.some((row) => row.id === focusedId) ? focusedId : (rows[0]?.id ?? null);

  function focusRow(id: string | undefined): void {
    if (id === undefined) return;
    setFocusedId(id);
    const row = list.current?.querySelector<HTMLElement>(`[data-execution="${CSS.escape(id)}"]`);
    row?.focus();
    row?.scrollIntoView({ block: "nearest" });
  }

  function step(from: string, by: number): void {
    const at = rows.findIndex((row) => row.id === from);
    if (at + by >= rows.length) options.onPastEnd();
    else focusRow(rows[Math.max(0, at + by)]?.id);
  }

  function onRowKey(event: KeyboardEvent, row: ExecutionSummary): void {
    if (hasModifier(event)) return;
    const onRow = event.target === event.currentTarget;
    const actions = new Map<string, () => void>([
      ["ArrowDown", () => step(row.id, 1)],
      ["ArrowUp", () => step(row.id, -1)],
      ["Home", () => focusRow(rows[0]?.id)],
      ["End", () => focusRow(rows.at(-1)?.id)],
    ]);
    if (onRow) {
      actions.set("Enter", () => options.onOpen(row.id));
      actions.set(" ", () => options.onPeek(row.id));
    }
    if (singleKeys) {
      actions.set("j", () => step(row.id, 1));
      actions.set("k", () => step(row.id, -1));
      actions.set("x", () => options.onToggleSelected(row.id));
      actions.set("c", options.onCompare);
      actions.set("p", () => options.onTogglePinned(row));
    }
    const action = actions.get(event.key);
    if (!action) return;
    event.preventDefault();
    action();
  }

  // Outside system: keys pressed where nothing has the focus.
  useEffect(() => {
    if (!singleKeys) return;
    const onKey = (event: globalThis.KeyboardEvent): void => {
      if (event.defaultPrevented || hasModifier(event) || isTyping(event.target)) return;
      const inList = event.target instanceof Node && list.current?.contains(event.target) === true;
      if (event.key === "/" && search.current) {
        event.preventDefault();
        search.current.focus();
      } else if ((event.key === "j" || event.key === "k") && !inList) {
        event.preventDefault();
        list.current?.querySelector<HTMLElement>('tr[tabindex="0"]')?.focus();
      }
    };
    document.addEventListener("keydown", onKey);
    return () => document.removeEventListener("keydown", onKey);
  }, [singleKeys, list, search]);

  return { currentId, onRowKey, onFocusRow: setFocusedId };
}
