import type { RefObject } from "react";
import { isSubmitKey } from "./shortcuts";
import { useDocumentKeys } from "./use-document-keys";

/**
 * The key that runs or saves what the page is for, wherever the focus is. A dialog in front has the key for itself.
 * @param within what the key is for, where it may stand in a dialog
 */
export function useSubmitKey(onSubmit: () => void, within?: RefObject<HTMLElement | null>): void {
  useDocumentKeys((event) => {
    if (!isSubmitKey(event)) return;
    // Not by `defaultPrevented`: an editor keeps the key from breaking its line.
    const dialog = event.target instanceof Element ? event.target.closest('[role="dialog"]') : null;
    if (dialog !== null && !dialog.contains(within?.current ?? null)) return;
    event.preventDefault();
    onSubmit();
  });
}
