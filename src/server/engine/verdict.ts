import type { FailureEnvelope } from "../../lib/contract";
import type { ApprovalVerdict } from "./approval-ports";
import { isServerStopping } from "./failures";

/** How a call ended, before it is written down. */
export type Verdict = SuccessVerdict | FailureVerdict;

export interface SuccessVerdict {
  success: true;
  result: unknown;
  /** The result's whole JSON text. */
  resultText: string;
  /** What a model reads, where that is not the result's text. */
  modelText?: string | undefined;
}

export interface FailureVerdict
  extends Pick<
    FailureEnvelope,
    "status" | "error" | "error_kind" | "faults" | "required_parameters" | "limit" | "result"
  > {
  success: false;
  /** JSON text of `result`, where there is one. */
  resultText?: string | undefined;
  /** For the log only. */
  stack?: string | undefined;
}

export function failure(kind: FailureEnvelope["error_kind"], error: string): FailureVerdict {
  return { success: false, status: "failed", error, error_kind: kind };
}

/** The caller, or the end of the server, ended the call. */
export function aborted(reason: unknown): FailureVerdict {
  if (isServerStopping(reason)) return interrupted("the server stopped while this call was running");
  return { ...failure("cancelled", "Cancelled by the caller"), status: "cancelled" };
}

export function interrupted(how: string): FailureVerdict {
  return { ...failure("interrupted", `Interrupted: ${how}`), status: "interrupted" };
}

/** What people and models are told of a call that nobody approved. */
export function notApproved(verdict: Extract<ApprovalVerdict, { approved: false }>): FailureVerdict {
  const { kind, by, reason, waitedMs } = verdict;
  if (kind === "approval_expired") {
    const within = waitedMs === undefined ? " in time" : ` within ${spokenWait(waitedMs)}`;
    return failure(kind, `Nobody approved the call${within}`);
  }
  const said = reason === null || reason === "" ? "" : `: ${reason}`;
  return failure(kind, `Rejected${by === null ? "" : ` by ${by.name}`}${said}`);
}

const UNITS: readonly [ms: number, name: string][] = [
  [3_600_000, "hour"],
  [60_000, "minute"],
  [1000, "second"],
  [1, "millisecond"],
];

/** `86400000` → `24 hours`, `90000` → `90 seconds`: the largest unit that says it without a fraction. */
function spokenWait(ms: number): string {
  const whole = Math.round(ms);
  const [size, name] = UNITS.find(([unit]) => whole >= unit && whole % unit === 0) ?? [1, "millisecond"];
  const count = whole / size;
  return `${count} ${name}${count === 1 ? "" : "s"}`;
}
