import { useEffect, useEffectEvent } from "react";

/** Calls the newest listener for each key that is pressed on the page, wherever the focus is. */
export function useDocumentKeys(listener: (event: KeyboardEvent) => void): void {
  const onKeyDown = useEffectEvent(listener);
  // Outside system: the document's keyboard.
  useEffect(() => {
    const listen = (event: KeyboardEvent): void => onKeyDown(event);
    document.addEventListener("keydown", listen);
    return () => document.removeEventListener("keydown", listen);
  }, []);
}
