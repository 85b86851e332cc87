import { useEffect, useEffectEvent, useRef } from "react";
import type { LiveEvent } from "@/lib/contract/live-event";
import { useLiveEvents } from "./live-provider";
import { createThrottle, type Throttle } from "./throttle";

const INTERVAL_MS = 300;

interface LiveRefreshOptions {
  /** Milliseconds between two reads, regardless of the number of events. */
  intervalMs?: number | undefined;
  /** Also read when the component mounts, because earlier events did not reach it. */
  onMount?: boolean;
}

/**
 * Reads again after each live event that makes what is shown stale, throttled.
 * @param stale the events of one kind, or those of several that a function picks
 */
export function useLiveRefresh(
  read: () => Promise<unknown>,
  stale: LiveEvent["type"] | ((event: LiveEvent) => boolean),
  { intervalMs = INTERVAL_MS, onMount = false }: LiveRefreshOptions = {},
): void {
  const throttle = useRef<Throttle | null>(null);
  const readNewest = useEffectEvent(read);
  // Outside system: the timer between two reads.
  useEffect(() => {
    const current = createThrottle(() => readNewest(), intervalMs);
    throttle.current = current;
    if (onMount) current.fire();
    return () => current.cancel();
  }, [intervalMs, onMount]);
  useLiveEvents((event) => {
    if (typeof stale === "function" ? stale(event) : event.type === stale) throttle.current?.fire();
  });
}
