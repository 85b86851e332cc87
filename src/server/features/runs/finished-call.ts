import type { FunctionResultContent } from "../../../lib/contract/chat";
import type { ExecutionStatus } from "../../../lib/contract/envelope";
import type { RunEventBody } from "../../../lib/contract/run";

/** The log's entry for a result; media stay in the execution's row. */
export function finishedCall(
  step: number,
  result: FunctionResultContent,
  durationMs: number,
  recorded = false,
): Extract<RunEventBody, { type: "tool_finished" }> {
  const { callId, name, items } = result;
  const light = items?.map((item) => (item.type === "media" ? { ...item, data: "" } : item));
  return {
    type: "tool_finished",
    step,
    callId,
    name,
    result: light === undefined ? result : { ...result, items: light },
    status: statusOf(result),
    executionId: result.executionId ?? null,
    durationMs: Math.round(durationMs * 1000) / 1000,
    ...(recorded ? { recorded } : {}),
  };
}

function statusOf({ exception }: FunctionResultContent): ExecutionStatus {
  switch (exception?.kind) {
    case undefined:
      return "succeeded";
    case "cancelled":
      return "cancelled";
    case "timeout":
      return "timed_out";
    case "interrupted":
      return "interrupted";
    default:
      return "failed";
  }
}
