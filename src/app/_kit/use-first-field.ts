import { type RefObject, useEffect } from "react";
import { findFirstField } from "@/app/_ui/field";

/** Matches screens where focusing a field opens no keyboard over the page. */
export const WIDE = "(min-width: 64rem) and (hover: hover)";

/**
 * Gives the focus to the first field of a new form, which is empty; that of an edited thing is not. Arrow keys stay in a list of tabs.
 * @param where a media query: elsewhere the page keeps the focus
 */
export function useFirstField(fields: RefObject<HTMLElement | null>, where = "all"): void {
  // Outside system: the keyboard focus.
  useEffect(() => {
    const first = findFirstField(fields.current);
    const { activeElement } = document;
    const isElsewhere = !fields.current?.contains(activeElement) && activeElement?.getAttribute("role") !== "tab";
    if (first?.value === "" && isElsewhere && window.matchMedia(where).matches) first.focus();
  }, [fields, where]);
}
