import type { FunctionCallContent, FunctionResultContent } from "../../../lib/contract/chat";
import type { RunEvent } from "../../../lib/contract/run";
import { toCallKey } from "../../engine/agent/call-tracker";
import type { FunctionInvocationOptions } from "../../engine/agent/function-invoking-client";
import { withMedia } from "./execution-result";
import type { RunServicePorts } from "./run-ports";

/** Answers a call with a recorded result; null for a call without one. */
export type FindRecorded = NonNullable<FunctionInvocationOptions["recorded"]>;

/**
 * Answers calls as an earlier run's log has them from a step on, with their media: each recorded result once, in order,
 * for the same tool with the same arguments.
 * @param used a log that took some of them already
 */
export function recordedResultsFrom(
  log: readonly RunEvent[],
  step: number,
  used: readonly RunEvent[],
  executions: Pick<RunServicePorts["executions"], "get">,
): FindRecorded {
  const at = log.findIndex((event) => event.type === "model_started" && event.step === step);
  const find = recordedResults(log.slice(Math.max(0, at)), used);
  return async (call) => {
    const result = find(call);
    return result?.items === undefined ? result : await withMedia(result, executions);
  };
}

function recordedResults(
  events: readonly RunEvent[],
  used: readonly RunEvent[],
): (call: FunctionCallContent) => FunctionResultContent | null {
  const results = new Map<string, FunctionResultContent[]>();
  for (const { call, event } of finishedCalls(events)) {
    // A call that was not executed has no result to repeat.
    if (event.executionId === null) continue;
    const key = toCallKey(call);
    const result = { ...event.result, durationMs: event.durationMs ?? undefined };
    results.set(key, [...(results.get(key) ?? []), result]);
  }
  for (const { call, event } of finishedCalls(used)) if (event.recorded) results.get(toCallKey(call))?.shift();
  return (call) => {
    const result = results.get(toCallKey(call))?.shift();
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
