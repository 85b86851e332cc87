import type { ToolCallResult } from "../../../../lib/contract/content";
import type { ExecutionEnvelope, ExecutionStatus } from "../../../../lib/contract/envelope";
import { toCallResult } from "../call-result";
import type { TaskState } from "./running-task";
import type { RecordedCall, StoredTask } from "./task-store";

export function toRecordedStatus(status: ExecutionStatus): TaskState["status"] {
  switch (status) {
    case "running":
    case "waiting":
      return "working";
    case "succeeded":
      return "completed";
    case "cancelled":
      return "cancelled";
    default:
      return "failed";
  }
}

/** The answer that the call would have got. */
export function toRecordedResult(recorded: RecordedCall, { calledAs, executionId }: StoredTask): ToolCallResult {
  const { toolName: tool_name, status, error, resultText, definition } = recorded;
  const result: unknown = resultText === null ? undefined : JSON.parse(resultText);
  const common = { tool_name, execution_id: executionId, execution_time_ms: 0 };
  if (error === null && resultText === null) {
    const text = `The result is no longer in memory, and not stored as it was sent: see the execution ${executionId}`;
    return { content: [{ type: "text", text }], isError: true };
  }
  const envelope =
    error === null
      ? { success: true, status: "succeeded", result, ...common }
      : {
          success: false,
          status,
          error_kind: "tool_error",
          error,
          ...(result === undefined ? {} : { result }),
          ...common,
        };
  return toCallResult(envelope as ExecutionEnvelope, definition ?? undefined, calledAs);
}
