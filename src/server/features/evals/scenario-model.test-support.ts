import type { FunctionCallContent, FunctionResultContent } from "../../../lib/contract/chat";
import type { RunEvent } from "../../../lib/contract/run";
import type { ProvidedTool, RunOutcome } from "../../engine/agent/run-starter";
import type { CheckScenario, PreparedAttempt, TriedRun } from "./scenarios/scenario";

/** A scripted step of a test's model: calls, or its final text. */
export type ModelMove = { name: string; args: Record<string, unknown> }[] | string;

/** Decides by the question and the results so far, oldest first. */
export type ModelPolicy = (question: string, results: readonly FunctionResultContent[]) => ModelMove;

/** Lets a model of a test play an attempt: its calls really run the scenario's tools. */
export async function play(attempt: PreparedAttempt, policy: ModelPolicy): Promise<TriedRun> {
  const events: RunEvent[] = [];
  const results: FunctionResultContent[] = [];
  for (let step = 1; step <= 8; step += 1) {
    const move = policy(attempt.text, results);
    const calls =
      typeof move === "string" ? [] : move.map(({ name, args }, at) => buildCall(`${step}.${at}`, name, args));
    const text = typeof move === "string" ? move : "";
    events.push({
      index: events.length,
      at: step,
      type: "model_finished",
      step,
      firstTokenMs: 1,
      durationMs: 1,
      message: { role: "assistant", contents: calls.length > 0 ? calls : [{ type: "text", text }] },
      finishReason: calls.length > 0 ? "tool_calls" : "stop",
    });
    if (calls.length === 0) return { events, text };
    for (const call of calls) {
      const result = await buildResult(call, attempt.tools);
      results.push(result);
      events.push({
        index: events.length,
        at: step,
        type: "tool_finished",
        step,
        callId: call.callId,
        name: call.name,
        result,
        status: result.exception ? "failed" : "succeeded",
        executionId: null,
        durationMs: 1,
      });
    }
  }
  return { events, text: "" };
}

function buildCall(callId: string, name: string, args: Record<string, unknown>): FunctionCallContent {
  return { type: "function_call", callId, name, arguments: JSON.stringify(args) };
}

async function buildResult(call: FunctionCallContent, tools: readonly ProvidedTool[]): Promise<FunctionResultContent> {
  const common = { type: "function_result", callId: call.callId, name: call.name } as const;
  const tool = tools.find(({ definition }) => definition.name === call.name);
  const args = JSON.parse(String(call.arguments)) as Record<string, unknown>;
  if (tool === undefined) return { ...common, exception: { kind: "not_found", message: "no such tool" } };
  const refused = refusedBy(tool, args);
  if (refused !== null) return { ...common, exception: { kind: "invalid_arguments", message: refused } };
  const silent = { debug: () => undefined, info: () => undefined, warn: () => undefined, error: () => undefined };
  try {
    return { ...common, result: await tool.run(args, { signal: new AbortController().signal, logger: silent }) };
  } catch (error) {
    return { ...common, exception: { kind: "tool_error", message: error instanceof Error ? error.message : "failed" } };
  }
}

/** As much of the schema as these scenarios need. */
function refusedBy({ definition }: ProvidedTool, args: Record<string, unknown>): string | null {
  const { properties, required } = definition.parameters as {
    properties: Record<string, { enum?: unknown[] }>;
    required: string[];
  };
  const missing = required.find((name) => !(name in args));
  if (missing !== undefined) return `${missing} missing`;
  const wrong = Object.entries(args).find(([name, value]) => properties[name]?.enum?.includes(value) === false);
  return wrong === undefined ? null : `${wrong[0]} must be one of ${JSON.stringify(properties[wrong[0]]?.enum)}`;
}

/** A model that does everything right. */
export const goodModel: ModelPolicy = (question, results) => {
  const last = results.at(-1);
  const found = (pattern: RegExp, text = last?.result ?? last?.exception?.message ?? ""): string =>
    pattern.exec(text)?.[1] ?? "";
  if (question.includes("France")) return "Paris";
  if (question.includes("ledger")) {
    if (last === undefined) return [{ name: "check_read_ledger", args: {} }];
    return `It is ${found(new RegExp(`${found(/(INV-\w+)/, question)}\\s+amount (\\d+)`))}.`;
  }
  if (question.includes("thermometer")) {
    if (last === undefined) return [{ name: "check_read_thermometer", args: { unit: "C" } }];
    if (last.exception) return [{ name: "check_read_thermometer", args: { unit: "celsius" } }];
    return `The thermometer reads ${found(/"reading":(\d+)/)} °C.`;
  }
  if (question.includes("dock")) {
    if (last === undefined) return [{ name: "check_find_order", args: { customer: "Ada Lovelace" } }];
    if (results.length === 1) return [{ name: "check_get_delivery", args: { orderId: found(/"orderId":"(.+?)"/) } }];
    return `At dock **${found(/"dock":(\d+)/)}**.`;
  }
  if (question.includes("report")) {
    if (last === undefined) return [{ name: "check_get_report", args: { month: "May" } }];
    if (last.exception) return [{ name: "check_get_report", args: { month: "May", confirm: found(/"(\w+)"/) } }];
    return `The total is ${found(/"total":(\d+)/)}.`;
  }
  const cities = question.includes("Lima") ? ["Oslo", "Lima"] : ["Oslo"];
  if (last === undefined) return cities.map((city) => ({ name: "check_get_reading", args: { city } }));
  return results.map(({ result }) => found(/"reading":(\d+)/, result)).join(" and ");
};

export async function judged(scenario: CheckScenario, policy: ModelPolicy, round = 1): Promise<string | null> {
  const attempt = scenario.prepare(round);
  return attempt.judge(await play(attempt, policy));
}

export function toOutcome(id: string, run: TriedRun): RunOutcome {
  return { id, status: "succeeded", text: run.text, error: null, events: [...run.events] };
}
