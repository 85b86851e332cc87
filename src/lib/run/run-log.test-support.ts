import type { FunctionCallContent } from "../contract/chat";
import type { RunEvent, RunEventBody } from "../contract/run";

/** A log from its events' bodies: `at` counts in steps of 100 ms from 1,000, or is given beside the body. */
export function runLog(...bodies: (RunEventBody & { at?: number })[]): RunEvent[] {
  return bodies.map((body, index) => ({ at: 1_000 + 100 * index, ...body, index }) as RunEvent);
}

export function said(text: string): RunEventBody {
  return { type: "user_message", message: { role: "user", contents: [{ type: "text", text }] } };
}

export function asked(step: number, iteration = step): RunEventBody {
  return { type: "model_started", step, iteration, toolChoice: "auto", toolCount: 2, provider: "demo", model: "rules" };
}

/** The model's answer: words, and calls as name and arguments, with ids `c<step><position>`. */
export function answered(step: number, text: string, calls: [name: string, args: string][] = []): RunEventBody {
  const contents: FunctionCallContent[] = calls.map(([name, args], at) => ({
    type: "function_call",
    callId: `c${step}${at}`,
    name,
    arguments: args,
  }));
  return {
    type: "model_finished",
    step,
    message: { role: "assistant", contents: [...(text === "" ? [] : [{ type: "text" as const, text }]), ...contents] },
    finishReason: calls.length > 0 ? "tool_calls" : "stop",
    usage: { inputTokens: 100, outputTokens: 10 },
    firstTokenMs: 40,
    durationMs: 90,
  };
}

/** @param approval as logs of earlier versions say that a tool requires approval */
export function called(step: number, position: number, name: string, args = "{}", approval?: true): RunEventBody {
  const callId = `c${step}${position}`;
  const started = {
    type: "tool_started",
    step,
    callId,
    name,
    argumentsText: args,
    executionId: `exec_${callId}`,
  } as const;
  return approval ? { ...started, approval } : started;
}

export function waited(step: number, position: number, name: string, granted = false): RunEventBody {
  return { type: granted ? "approval_granted" : "approval_requested", step, callId: `c${step}${position}`, name };
}

export function returned(step: number, position: number, name: string, result: string, durationMs = 50): RunEventBody {
  const callId = `c${step}${position}`;
  const executionId = `exec_${callId}`;
  return {
    type: "tool_finished",
    step,
    callId,
    name,
    result: { type: "function_result", callId, name, result, executionId },
    status: "succeeded",
    executionId,
    durationMs,
  };
}

export const DONE: RunEventBody = { type: "turn_ended", status: "succeeded", error: null };
