"use client";

import { useLiveState } from "@/app/_live/live-provider";
import type { LiveState } from "@/app/_live/live-source";
import { cx } from "@/app/_ui/class-names";

const LOOK: Record<LiveState, { label: string; dot: string; hint: string }> = {
  connecting: { label: "connecting", dot: "bg-warn animate-pulse", hint: "Connecting for live updates" },
  live: { label: "live", dot: "bg-ok", hint: "Live updates are on" },
  polling: {
    label: "refreshing every 15 s",
    dot: "bg-warn",
    hint: "Too many open tabs: this page refreshes every 15 s. Close other tabs for live updates",
  },
  offline: {
    label: "offline",
    dot: "bg-bad",
    hint: "Connection lost. Reconnecting… This page may be out of date",
  },
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
