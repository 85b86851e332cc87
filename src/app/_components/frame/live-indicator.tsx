"use client";

import { type LiveState, useLiveState } from "@/app/_components/live/live-provider";
import { cx } from "@/app/_ui/class-names";

const LOOK: Record<LiveState, { label: string; dot: string; hint: string }> = {
  connecting: { label: "connecting", dot: "bg-warn animate-pulse", hint: "Connecting to the server's event stream" },
  live: { label: "live", dot: "bg-ok", hint: "What happens is shown as it happens" },
  offline: { label: "offline", dot: "bg-bad", hint: "The event stream is gone; trying again. What you see may be old" },
};

/** Whether the page hears of what happens. */
export function ConnectionIndicator() {
  const state = useLiveState();
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
