import type { ExecutionStatus } from "@/lib/contract/envelope";
import { cx } from "./class-names";

/** The values of `data-status`: the six words that the browser tests know. */
type ShownStatus = "idle" | "running" | "succeeded" | "failed" | "cancelled" | "waiting";

interface Look {
  shown: ShownStatus;
  label: string;
  tone: string;
}

const OK = "bg-ok-bg text-ok";
const BAD = "bg-bad-bg text-bad";
const WARN = "bg-warn-bg text-warn";
const QUIET = "bg-line text-mute";

const LOOK: Record<ExecutionStatus | "idle", Look> = {
  idle: { shown: "idle", label: "idle", tone: QUIET },
  running: { shown: "running", label: "running", tone: "bg-accent-bg text-accent" },
  succeeded: { shown: "succeeded", label: "succeeded", tone: OK },
  failed: { shown: "failed", label: "failed", tone: BAD },
  timed_out: { shown: "failed", label: "timed out", tone: BAD },
  interrupted: { shown: "failed", label: "interrupted", tone: BAD },
  cancelled: { shown: "cancelled", label: "cancelled", tone: QUIET },
  waiting: { shown: "waiting", label: "needs approval", tone: WARN },
};

const REJECTED: Look = { shown: "cancelled", label: "rejected", tone: QUIET };

/** Calls that did not run: no failures, although that is their status. */
const LOOK_OF_KIND: Partial<Record<string, Look>> = {
  invalid_arguments: { shown: "failed", label: "invalid", tone: WARN },
  malformed_arguments: { shown: "failed", label: "invalid", tone: WARN },
  rejected: REJECTED,
  approval_expired: { ...REJECTED, label: "expired" },
  approval_pending: { ...REJECTED, label: "not approved" },
  definition_changed: { ...REJECTED, label: "tool held" },
};

function getLook(status: ExecutionStatus | "idle", errorKind: string | null | undefined): Look {
  return (status === "failed" && errorKind ? LOOK_OF_KIND[errorKind] : undefined) ?? LOOK[status];
}

/** The word of a status, the same on every page. */
export function describeStatus(status: ExecutionStatus | "idle", errorKind?: string | null): string {
  return getLook(status, errorKind).label;
}

export interface StatusBadgeProps {
  status: ExecutionStatus | "idle";
  /** Tells calls that did not run from failures. */
  errorKind?: string | null;
  /** Instead of the status' own word. */
  label?: string | undefined;
  className?: string;
}

export function StatusBadge({ status, errorKind, label, className }: StatusBadgeProps) {
  const { shown, tone, label: word } = getLook(status, errorKind);
  return (
    <StatusPill status={shown} tone={cx(tone, className)} pulse={shown === "running"}>
      {label ?? word}
    </StatusPill>
  );
}

export interface StatusPillProps {
  /** The value of `data-status`. */
  status: string;
  /** Classes of its colours. */
  tone: string;
  pulse?: boolean;
  children: string;
}

/** Dot and word of a state; in the rows of a phone's tables the dot alone, with the word for screen readers. */
export function StatusPill({ status, tone, pulse = false, children }: StatusPillProps) {
  return (
    <span
      data-status={status}
      title={children}
      className={cx(
        "inline-flex shrink-0 items-center gap-1.5 whitespace-nowrap rounded-full px-2 text-xs font-medium max-sm:in-[td]:bg-transparent max-sm:in-[td]:px-0 max-sm:in-[td]:text-[0px]",
        tone,
      )}
    >
      <span
        aria-hidden
        className={cx("size-1.5 rounded-full bg-current max-sm:in-[td]:size-2", pulse && "animate-pulse")}
      />
      {children}
    </span>
  );
}
