import type { ToolCallResult } from "../../../lib/contract/content";
import type { FailureEnvelope, ProjectedResult } from "../../../lib/contract/envelope";
import type { RecordedLens } from "../../../lib/contract/lens";
import type { ApprovalResult } from "../approvals/approval-ports";
import { isServerStopping } from "../failures";

/** How a call ended, before it is recorded. */
export type CallOutcome = CallSuccess | CallFailure;

export interface CallSuccess {
  success: true;
  result: unknown;
  /** The result's whole JSON text. */
  resultText: string;
  /** The answer of an MCP server, of which a model reads the text. */
  answer?: ToolCallResult | undefined;
  /** The lens that the caller's result went through. */
  lens?: RecordedLens | undefined;
  projected?: ProjectedResult | undefined;
}

export interface CallFailure
  extends Pick<
    FailureEnvelope,
    | "status"
    | "error"
    | "error_kind"
    | "faults"
    | "required_parameters"
    | "limit"
    | "retry_after_ms"
    | "result"
    | "protocol_error"
  > {
  success: false;
  /** JSON text of `result`, where there is one. */
  resultText?: string | undefined;
  /** Written to the log only. */
  stack?: string | undefined;
}

export function failure(kind: FailureEnvelope["error_kind"], error: string): CallFailure {
  return { success: false, status: "failed", error, error_kind: kind };
}

/** The end that effects settle with before rules decide an edited call again. */
export const notRun = (): CallFailure => failure("rule", "The call is decided again");

/** The caller, or the end of the server, ended the call. */
export function aborted(reason: unknown): CallFailure {
  if (isServerStopping(reason)) return interrupted("the server stopped while this call was running");
  return { ...failure("cancelled", "Cancelled by the caller"), status: "cancelled" };
}

export function interrupted(how: string): CallFailure {
  return { ...failure("interrupted", `Interrupted: ${how}`), status: "interrupted" };
}

/** The failure of a call that was rejected, or whose approval expired. */
export function notApproved(result: Extract<ApprovalResult, { approved: false }>): CallFailure {
  const { kind, by, reason, waitedMs } = result;
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
