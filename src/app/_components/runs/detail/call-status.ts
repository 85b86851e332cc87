import type { State } from "@/app/_ui/status-badge";
import type { ExecutionStatus } from "@/lib/contract/envelope";
import type { RunCall } from "@/lib/run/build-turns";

export interface ShownCallStatus {
  status: State;
  /** Tells calls that did not run from failures. */
  errorKind?: string | null;
  /** Instead of the status' own word. */
  label?: string;
}

/** The status of a call. `open`: its turn is running; in a turn that ended, a call without an end was cut off. */
export function toCallStatus(
  call: RunCall,
  executions: ReadonlyMap<string, ExecutionStatus>,
  open: boolean,
): ShownCallStatus {
  if (call.finishedAt !== null && call.status !== "requested") {
    return { status: call.status, errorKind: call.result?.exception?.kind ?? null };
  }
  if (!open) return call.status === "requested" ? { status: "idle", label: "not run" } : { status: "interrupted" };
  if (call.status === "requested") return { status: "idle", label: "starting" };
  const heard = call.executionId === null ? undefined : executions.get(call.executionId);
  // It ended, and its result is on its way to the log.
  if (heard !== undefined && heard !== "waiting" && heard !== "running") return { status: "running" };
  return { status: heard ?? call.status };
}

const PREVIEW_CHARS = 160;

/** The beginning of the arguments on one line. */
export function argumentsPreview(text: string): string {
  const line = text
    .slice(0, 4 * PREVIEW_CHARS)
    .replaceAll(/\s+/g, " ")
    .trim();
  return line.length > PREVIEW_CHARS ? `${line.slice(0, PREVIEW_CHARS)}…` : line;
}
