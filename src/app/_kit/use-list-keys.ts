import type { RefObject } from "react";
import { useDocumentKeys } from "@/app/_kit/use-document-keys";
import { useSingleKeys } from "./preferences-provider";
import { hasModifier, isTyping } from "./shortcuts";

interface ListKeys {
  /** Holds the rows; in each, the element marked `data-row` takes the focus, and Enter does what it does natively. */
  list: RefObject<HTMLElement | null>;
  /** The field that `/` focuses. */
  search?: RefObject<HTMLInputElement | null>;
  /** Called when the user moves down from the last row. */
  onPastEnd?: () => void;
}

interface ListFocus {
  /** Moves the focus by rows; from outside the list it goes to the row that is the tab stop, else to the first. */
  moveFocus: (by: 1 | -1) => void;
  /** Focuses a row by position; -1 is the last. */
  focusRow: (position: number) => void;
}

/** `j` and `k` move the focus from row to row, `/` goes to the search. */
export function useListKeys({ list, search, onPastEnd }: ListKeys): ListFocus {
  const singleKeys = useSingleKeys();

  const findRows = (): HTMLElement[] => [...(list.current?.querySelectorAll<HTMLElement>("[data-row]") ?? [])];

  function focusRow(position: number): void {
    const row = findRows().at(position);
    row?.focus();
    row?.scrollIntoView({ block: "nearest" });
  }

  function moveFocus(by: 1 | -1): void {
    const rows = findRows();
    const { activeElement } = document;
    const at = rows.findIndex((row) => row === activeElement || row.closest("tr")?.contains(activeElement));
    if (at === -1) {
      focusRow(
        Math.max(
          0,
          rows.findIndex((row) => row.getAttribute("tabindex") === "0"),
        ),
      );
    } else if (at + by === rows.length) onPastEnd?.();
    else focusRow(Math.max(0, at + by));
  }

  useDocumentKeys((event) => {
    if (!singleKeys || event.defaultPrevented || hasModifier(event) || isTyping(event.target)) return;
    if (event.key === "/" && search?.current) {
      event.preventDefault();
      search.current.focus();
      search.current.select();
    } else if (event.key === "j" || event.key === "k") {
      if (findRows().length === 0) return;
      event.preventDefault();
      moveFocus(event.key === "j" ? 1 : -1);
    }
  });

  return { moveFocus, focusRow };
}
