import { classifyErrorKind } from "@/lib/contract/call-class";
import type { ExecutionOutcome } from "@/lib/contract/execution";
import { cx } from "./class-names";

/** The values of `data-status`: the six words that the browser tests know. */
type ShownStatus = "idle" | "running" | "succeeded" | "failed" | "cancelled" | "waiting";

/** A state of a call, a run or a query: its status, or more than that says. */
export type State = ExecutionOutcome | "idle" | "cancelling";

interface Look {
  shown: ShownStatus;
  label: string;
  tone: string;
}

const OK = "bg-ok-bg text-ok";
const BAD = "bg-bad-bg text-bad";
const WARN = "bg-warn-bg text-warn";
const QUIET = "bg-line text-mute";

/** The only table of states and their words: badges, filters, figures and the palette read it. */
const LOOK: Record<State, Look> = {
  idle: { shown: "idle", label: "idle", tone: QUIET },
  running: { shown: "running", label: "running", tone: "bg-accent-bg text-accent" },
  waiting: { shown: "waiting", label: "needs approval", tone: WARN },
  input: { shown: "waiting", label: "waiting for input", tone: WARN },
  succeeded: { shown: "succeeded", label: "succeeded", tone: OK },
  failed: { shown: "failed", label: "failed", tone: BAD },
  error: { shown: "failed", label: "error", tone: BAD },
  timed_out: { shown: "failed", label: "timed out", tone: BAD },
  interrupted: { shown: "failed", label: "interrupted", tone: BAD },
  invalid: { shown: "failed", label: "invalid", tone: WARN },
  rejected: { shown: "cancelled", label: "rejected", tone: QUIET },
  cancelling: { shown: "running", label: "cancelling", tone: QUIET },
  cancelled: { shown: "cancelled", label: "cancelled", tone: QUIET },
};

/** Calls that did not run have the status of failures, and are none. */
function getLook(status: State, errorKind: string | null | undefined): Look {
  return LOOK[(status === "failed" ? classifyErrorKind(errorKind) : null) ?? status];
}

/** The word of a state, the same on every page. */
export function describeStatus(status: State, errorKind?: string | null): string {
  return getLook(status, errorKind).label;
}

/** The `data-status` of what has a state and no badge of its own. */
export function toDataStatus(status: State, errorKind?: string | null): ShownStatus {
  return getLook(status, errorKind).shown;
}

/** The words of states as the options of a filter: `Needs approval`. */
export function labelStates<const Listed extends State>(states: readonly Listed[]): Record<Listed, string> {
  const labels = states.map((state) => [state, LOOK[state].label.replace(/^./, (first) => first.toUpperCase())]);
  return Object.fromEntries(labels) as Record<Listed, string>;
}

interface StatusBadgeProps {
  status: State;
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

interface StatusPillProps {
  /** The value of `data-status`. */
  status: string;
  /** The classes of its colors. */
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
