"use client";

import { type RefObject, useEffect, useEffectEvent } from "react";
import { useSingleKeys } from "./preferences-provider";
import { isTyping } from "./shortcuts";

export interface ListKeys {
  /** Holds the rows; in each, the element marked `data-row` takes the focus, and Enter does what it does natively. */
  list: RefObject<HTMLElement | null>;
  /** The field that `/` goes to. */
  search?: RefObject<HTMLInputElement | null>;
}

/** `j` and `k` move the focus from row to row, `/` goes to the search. */
export function useListKeys({ list, search }: ListKeys): void {
  const singleKeys = useSingleKeys();
  const onKeyDown = useEffectEvent((event: KeyboardEvent) => {
    if (!singleKeys || event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return;
    if (isTyping(event.target)) return;
    if (event.key === "/" && search?.current) {
      event.preventDefault();
      search.current.focus();
      search.current.select();
      return;
    }
    if (event.key !== "j" && event.key !== "k") return;
    const rows = [...(list.current?.querySelectorAll<HTMLElement>("[data-row]") ?? [])];
    const at = rows.findIndex(
      (row) => row === document.activeElement || row.closest("tr")?.contains(document.activeElement),
    );
    const next = at === -1 ? rows[0] : rows[at + (event.key === "j" ? 1 : -1)];
    if (next === undefined) return;
    event.preventDefault();
    next.focus();
    next.scrollIntoView({ block: "nearest" });
  });

  // Outside system: the document's keyboard.
  useEffect(() => {
    const listener = (event: KeyboardEvent) => onKeyDown(event);
    document.addEventListener("keydown", listener);
    return () => document.removeEventListener("keydown", listener);
  }, []);
}
