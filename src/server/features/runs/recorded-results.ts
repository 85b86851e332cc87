import type { FunctionCallContent, FunctionResultContent, RunEvent } from "../../../lib/contract";
import { textOf } from "../../engine/call-ledger";

/**
 * Answers calls as an earlier run's log has them: each recorded result once, in order, for the same tool with the same
 * arguments. Null where the log knows no such call, or no more of it.
 * @param used a log that took some of them already
 */
export function recordedResults(
  events: readonly RunEvent[],
  used: readonly RunEvent[] = [],
): (call: FunctionCallContent) => FunctionResultContent | null {
  const results = new Map<string, FunctionResultContent[]>();
  for (const { call, event } of finishedCalls(events)) {
    // What was not executed has no result to repeat.
    if (event.executionId === null) continue;
    const key = keyOf(call);
    results.set(key, [...(results.get(key) ?? []), event.result]);
  }
  for (const { call, event } of finishedCalls(used)) if (event.recorded) results.get(keyOf(call))?.shift();
  return (call) => {
    const result = results.get(keyOf(call))?.shift();
    return result === undefined ? null : { ...result, callId: call.callId };
  };
}

function* finishedCalls(events: readonly RunEvent[]) {
  const calls = new Map<string, FunctionCallContent>();
  for (const event of events) {
    if (event.type === "model_finished") {
      for (const content of event.message.contents) {
        if (content.type === "function_call") calls.set(content.callId, content);
      }
    } else if (event.type === "tool_finished") {
      const call = calls.get(event.callId);
      if (call !== undefined) yield { call, event };
    }
  }
}

function keyOf(call: FunctionCallContent): string {
  return `${call.name} ${textOf(call)}`;
}
