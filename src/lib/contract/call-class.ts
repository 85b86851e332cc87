import type { ErrorKind, ExecutionSource, ExecutionStatus } from "./envelope";

/** Calls that try tools instead of using them: they are in no figure, and listed only by source, id or pin. */
export const UNCOUNTED_SOURCES = ["check", "test", "import"] as const satisfies ExecutionSource[];

export function isCounted(source: string): boolean {
  return !UNCOUNTED_SOURCES.some((each) => each === source);
}

/** How a call counts in figures. Only `failed` is part of a failure rate. */
export type CallClass = "succeeded" | "failed" | "invalid" | "rejected" | "cancelled" | "waiting" | "running";

export const INVALID_KINDS = ["invalid_arguments"] as const satisfies ErrorKind[];

/** Calls that a person, or the missing decision of one, kept from running. */
export const REJECTED_KINDS = [
  "rejected",
  "approval_expired",
  "approval_pending",
  "definition_changed",
] as const satisfies ErrorKind[];

/** The class of an error kind that is no failure; null for failures. */
export function classifyErrorKind(kind: string | null | undefined): "invalid" | "rejected" | "cancelled" | null {
  if (kind === "invalid_arguments" || kind === "malformed_arguments") return "invalid";
  if (kind === "cancelled") return "cancelled";
  return REJECTED_KINDS.some((each) => each === kind) ? "rejected" : null;
}

export function classifyCall(status: ExecutionStatus, errorKind: string | null | undefined): CallClass {
  if (status === "succeeded" || status === "waiting" || status === "running") return status;
  return classifyErrorKind(errorKind) ?? (status === "cancelled" ? "cancelled" : "failed");
}
