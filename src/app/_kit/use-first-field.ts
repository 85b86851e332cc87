import { type RefObject, useEffect } from "react";
import { findFirstField } from "@/app/_ui/field";

/** Gives the focus to the first field of a new form, which is empty; that of an edited thing is not. Arrow keys stay in a list of tabs. */
export function useFirstField(fields: RefObject<HTMLElement | null>): void {
  // Outside system: the keyboard focus.
  useEffect(() => {
    const first = findFirstField(fields.current);
    const { activeElement } = document;
    const isElsewhere = !fields.current?.contains(activeElement) && activeElement?.getAttribute("role") !== "tab";
    if (first?.value === "" && isElsewhere) first.focus();
  }, [fields]);
}
