import { useCallback, useEffect, useRef } from "react";
import { awaitingThrottle } from "./awaiting-throttle";

/**
 * The read as something to call for every event: at most one every `intervalMs`, and one after the last. Give a stable
 * function.
 * @param atOnce also when the component appears: what happened between the read that came with the page and that moment
 * was heard by nobody here
 */
export function useThrottled(read: () => Promise<unknown>, intervalMs: number, atOnce = false): () => void {
  const throttle = useRef<ReturnType<typeof awaitingThrottle> | null>(null);
  // Outside system: the timer between two reads.
  useEffect(() => {
    const current = awaitingThrottle(read, intervalMs);
    throttle.current = current;
    if (atOnce) current.fire();
    return () => current.cancel();
  }, [read, intervalMs, atOnce]);
  return useCallback(() => throttle.current?.fire(), []);
}
