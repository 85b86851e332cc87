import { useSyncExternalStore } from "react";
import { describeInstant, formatRelativeTime } from "@/lib/format";
import { useTimeZone } from "./time-zone";

const TICK_MS = 5_000;

let now = Date.now();
let timer: ReturnType<typeof setInterval> | undefined;
const listeners = new Set<() => void>();

/** One clock for every time on the page; it stops while the page is hidden. */
function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  if (timer === undefined) {
    now = Date.now();
    timer = setInterval(() => {
      now = Date.now();
      for (const each of listeners) each();
    }, TICK_MS);
  }
  return () => {
    listeners.delete(listener);
    if (listeners.size > 0) return;
    clearInterval(timer);
    timer = undefined;
  };
}

const snapshot = () => now;
const serverSnapshot = () => (typeof window === "undefined" ? Date.now() : now);

interface RelativeTimeProps {
  /** Epoch milliseconds. */
  at: number;
  className?: string;
}

/** How long ago, with the instant as its title. Server and browser may disagree by the seconds between them. */
export function RelativeTime({ at, className }: RelativeTimeProps) {
  const current = useSyncExternalStore(subscribe, snapshot, serverSnapshot);
  const zone = useTimeZone();
  const instant = new Date(at);
  const now = Math.max(current, at);
  return (
    <time
      dateTime={instant.toISOString()}
      title={describeInstant(at, zone)}
      className={className}
      suppressHydrationWarning
    >
      {formatRelativeTime(at, now, zone)}
    </time>
  );
}
