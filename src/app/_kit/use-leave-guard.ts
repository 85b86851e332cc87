import { useEffect } from "react";

/** Asks before the tab is closed or reloaded while something unsaved would be lost. */
export function useLeaveGuard(active: boolean): void {
  // Outside system: the browser's unloading of the page.
  useEffect(() => {
    if (!active) return;
    const ask = (event: BeforeUnloadEvent) => event.preventDefault();
    window.addEventListener("beforeunload", ask);
    return () => window.removeEventListener("beforeunload", ask);
  }, [active]);
}
