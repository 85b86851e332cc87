import { useCallback, useSyncExternalStore } from "react";

/** The current time in steps; null in the server's HTML, which must not depend on a clock. */
export function useNow(stepMs: number): number | null {
  const subscribe = useCallback(
    (changed: () => void) => {
      const timer = setInterval(changed, stepMs);
      return () => clearInterval(timer);
    },
    [stepMs],
  );
  return useSyncExternalStore(
    subscribe,
    () => Math.floor(Date.now() / stepMs) * stepMs,
    () => null,
  );
}
