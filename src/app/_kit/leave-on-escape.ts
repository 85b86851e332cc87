import type { KeyboardEvent } from "react";
import { focusSoon } from "./arguments-editor/focus-field";

/**
 * Props of the element around a field that stands there for a while: Escape leaves the field, and not the dialog around it.
 * @param then the id of the element that has the focus afterwards
 */
export function leaveOnEscape(onLeave: () => void, then?: string) {
  return {
    "data-transient": "",
    onKeyDown: (event: KeyboardEvent): void => {
      if (event.key !== "Escape") return;
      event.preventDefault();
      event.stopPropagation();
      onLeave();
      if (then !== undefined) focusSoon(then);
    },
  };
}
