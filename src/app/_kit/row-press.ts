import type { MouseEvent } from "react";

const CONTROLS = "a, button, input, label, select, textarea, summary";

/** Whether a click in a row is on the row itself: controls have their own meaning, and so has the end of a text selection. */
export function isRowPress({ target, defaultPrevented }: MouseEvent): boolean {
  if (defaultPrevented || !(target instanceof Element) || target.closest(CONTROLS) !== null) return false;
  return window.getSelection()?.isCollapsed !== false;
}

/**
 * The `onClick` of a row: a click anywhere does what its link or button with `data-row` does. An overlay of that link would cover the
 * whole page in WebKit, where a `tr` holds nothing that is positioned.
 */
export function pressRow(event: MouseEvent<HTMLElement>): void {
  if (!isRowPress(event)) return;
  const { ctrlKey, metaKey, shiftKey, altKey } = event;
  const press = new window.MouseEvent("click", {
    bubbles: true,
    cancelable: true,
    ctrlKey,
    metaKey,
    shiftKey,
    altKey,
  });
  event.currentTarget.querySelector("[data-row]")?.dispatchEvent(press);
}
