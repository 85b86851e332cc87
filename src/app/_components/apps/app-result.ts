import type { ExecutionDetail } from "@/lib/contract/execution";
import { isPlainObject } from "@/lib/contract/json";
import type { AppOutcome } from "./app-bridge";

type Ended = Pick<ExecutionDetail, "status" | "resultText" | "resultTruncated" | "error" | "received">;

/** Why an App cannot show an execution; null where it can. */
export function findAppObstacle({ status, resultText, resultTruncated }: Ended): string | null {
  if (status === "running" || status === "waiting") return "The App opens when the call has ended.";
  if (resultText !== null && resultTruncated) {
    return "Only a part of the result is stored. Raise “max_stored_bytes” in the server's settings and run the tool again.";
  }
  return null;
}

/** A recorded execution as the result of `tools/call`. An App receives what callers do, as rules about results have it. */
export function toToolResult(execution: Ended): Record<string, unknown> {
  const { resultText } = execution.received ?? execution;
  const result = execution.resultTruncated ? null : parsed(resultText);
  if (isPlainObject(result) && Array.isArray(result.content)) return result;
  const text =
    execution.error ?? (execution.resultTruncated ? "The result is larger than what is stored" : "No result");
  return { isError: true, content: [{ type: "text", text }] };
}

/** Returns the execution as its App receives it. */
export function toOutcome(execution: Ended): AppOutcome {
  if (execution.status === "cancelled") return { cancelled: execution.error ?? "cancelled" };
  return { result: toToolResult(execution) };
}

export function toInput(argumentsText: string): Record<string, unknown> {
  const input = parsed(argumentsText);
  return isPlainObject(input) ? input : {};
}

function parsed(text: string | null): unknown {
  try {
    return text === null ? null : JSON.parse(text);
  } catch {
    return null;
  }
}
