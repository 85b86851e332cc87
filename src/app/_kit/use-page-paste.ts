import { useEffect, useEffectEvent } from "react";
import { isTyping } from "./shortcuts";

/** Takes a text that is pasted on the page while no field has the focus. A dialog in front keeps its own. */
export function usePagePaste(onText: (text: string) => void): void {
  const onPaste = useEffectEvent((event: ClipboardEvent) => {
    const text = event.clipboardData?.getData("text/plain") ?? "";
    const isElsewhere = isTyping(event.target) || document.querySelector('[role="dialog"]') !== null;
    if (event.defaultPrevented || isElsewhere || text.trim() === "") return;
    event.preventDefault();
    onText(text);
  });
  // Outside system: the document's clipboard events.
  useEffect(() => {
    const listen = (event: ClipboardEvent): void => onPaste(event);
    document.addEventListener("paste", listen);
    return () => document.removeEventListener("paste", listen);
  }, []);
}
