import type { FunctionCallContent, FunctionResultContent, RunEvent } from "../../../lib/contract";
import { textOf } from "../../engine/call-ledger";

/**
 * Answers calls as an earlier run's log has them: each recorded result once, in order, for the same tool with the same
 * arguments. Null where the log knows no such call, or no more of it.
 */
export function recordedResults(
  events: readonly RunEvent[],
): (call: FunctionCallContent) => FunctionResultContent | null {
  const calls = new Map<string, FunctionCallContent>();
  const results = new Map<string, FunctionResultContent[]>();
  for (const event of events) {
    if (event.type === "model_finished") {
      for (const content of event.message.contents) {
        if (content.type === "function_call") calls.set(content.callId, content);
      }
    } else if (event.type === "tool_finished") {
      const call = calls.get(event.callId);
      // What was not executed has no result to repeat.
      if (call === undefined || event.executionId === null) continue;
      const key = keyOf(call);
      results.set(key, [...(results.get(key) ?? []), event.result]);
    }
  }
  return (call) => {
    const result = results.get(keyOf(call))?.shift();
    return result === undefined ? null : { ...result, callId: call.callId };
  };
}

function keyOf(call: FunctionCallContent): string {
  return `${call.name} ${textOf(call)}`;
}
