import type { ExecutionStatus } from "@/lib/contract";
import { cx } from "./class-names";

/** What `data-status` says of a status: the six words that the browser tests know. */
type ShownStatus = "idle" | "running" | "succeeded" | "failed" | "cancelled" | "waiting";

interface Look {
  shown: ShownStatus;
  label: string;
  tone: string;
}

const OK = "bg-ok-bg text-ok";
const BAD = "bg-bad-bg text-bad";
const QUIET = "bg-line text-mute";

const LOOK: Record<ExecutionStatus | "idle", Look> = {
  idle: { shown: "idle", label: "idle", tone: QUIET },
  running: { shown: "running", label: "running", tone: "bg-accent-bg text-accent" },
  succeeded: { shown: "succeeded", label: "succeeded", tone: OK },
  failed: { shown: "failed", label: "failed", tone: BAD },
  timed_out: { shown: "failed", label: "timed out", tone: BAD },
  interrupted: { shown: "failed", label: "interrupted", tone: BAD },
  cancelled: { shown: "cancelled", label: "cancelled", tone: QUIET },
  waiting: { shown: "waiting", label: "waiting", tone: "bg-warn-bg text-warn" },
};

export interface StatusBadgeProps {
  status: ExecutionStatus | "idle";
  /** Instead of the status' own word. */
  label?: string | undefined;
  className?: string;
}

export function StatusBadge({ status, label, className }: StatusBadgeProps) {
  const look = LOOK[status];
  return (
    <span
      data-status={look.shown}
      className={cx(
        "inline-flex shrink-0 items-center gap-1.5 whitespace-nowrap rounded-full px-2 text-xs font-medium",
        look.tone,
        className,
      )}
    >
      <span
        aria-hidden
        className={cx("size-1.5 rounded-full bg-current", look.shown === "running" && "animate-pulse")}
      />
      {label ?? look.label}
    </span>
  );
}
