"use client";

import { useLiveState } from "@/app/_components/live/live-provider";
import { cx } from "@/app/_ui/class-names";

export type LiveIndicatorState = "connecting" | "live" | "paused" | "offline";

const LOOK: Record<LiveIndicatorState, { label: string; dot: string; hint: string }> = {
  connecting: { label: "connecting", dot: "bg-warn animate-pulse", hint: "Connecting to the server's event stream" },
  live: { label: "live", dot: "bg-ok", hint: "What happens is shown as it happens" },
  paused: { label: "paused", dot: "bg-faint", hint: "New entries are held back until you continue" },
  offline: { label: "offline", dot: "bg-bad", hint: "The event stream is gone; trying again. What you see may be old" },
};

/** Whether the page hears of what happens. */
export function LiveIndicator({ state }: { state: LiveIndicatorState }) {
  const look = LOOK[state];
  return (
    <span
      role="status"
      title={look.hint}
      className="flex shrink-0 items-center gap-1.5 text-mute text-xs"
      data-live={state}
    >
      <span aria-hidden className={cx("size-1.75 rounded-full", look.dot)} />
      <span className="max-sm:sr-only">{look.label}</span>
    </span>
  );
}

export function ConnectionIndicator() {
  return <LiveIndicator state={useLiveState()} />;
}
