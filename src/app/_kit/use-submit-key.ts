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
    // Does not check `defaultPrevented`: an editor prevents the key from inserting a line break.
    const dialog = event.target instanceof Element ? event.target.closest('[role="dialog"]') : null;
    if (dialog !== null && !dialog.contains(within?.current ?? null)) return;
    event.preventDefault();
    onSubmit();
  });
}
