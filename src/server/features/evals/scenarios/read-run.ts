import { listCalls } from "../../../../lib/contract/chat";
import { isPlainObject } from "../../../../lib/contract/json";
import type { RunEvent } from "../../../../lib/contract/run";
import type { TriedRun } from "./scenario";

/** A call that a model asked for, and what became of it. */
export interface TriedCall {
  name: string;
  /** The model's answer that it was in. */
  step: number;
  /** Null where they are no JSON object. */
  args: Record<string, unknown> | null;
  /** Null while it has no result. */
  succeeded: boolean | null;
  error: string | null;
}

/** In the order in which the model asked for them. */
export function triedCalls(events: readonly RunEvent[]): TriedCall[] {
  const results = new Map(
    events.flatMap((event) => (event.type === "tool_finished" ? [[event.callId, event.result] as const] : [])),
  );
  return events.flatMap((event) => {
    if (event.type !== "model_finished") return [];
    return listCalls(event.message).map((call) => {
      const result = results.get(call.callId);
      return {
        name: call.name,
        step: event.step,
        args: readArguments(call.arguments),
        succeeded: result === undefined ? null : result.exception === undefined,
        error: result?.exception?.message ?? null,
      };
    });
  });
}

/** Whether an answer has a number, with or without separators, and not as a part of a longer one. */
export function saysNumber(text: string, value: number): boolean {
  const joined = text.replace(/(?<=\d)[,.'’\u00a0\u202f ](?=\d{3}(?!\d))/g, "");
  return new RegExp(`(?<![\\d.,])${value}(?:[.,]0{1,2})?(?!\\d|[.,]\\d)`).test(joined);
}

export function saysText(text: string, wanted: string): boolean {
  return text.toLowerCase().includes(wanted.toLowerCase());
}

export function textArgument({ args }: TriedCall, name: string): string {
  const value = args !== null && Object.hasOwn(args, name) ? args[name] : undefined;
  return typeof value === "string" ? value : "";
}

/** The reason why there is no good answer, where nothing else is wrong. */
export function answerFault(run: TriedRun, says: boolean, wanted: string): string | null {
  if (run.text.trim() === "") return "The model returned no response after the results.";
  return says ? null : `Its answer does not say ${wanted}.`;
}

export function failedCallFault(calls: readonly TriedCall[]): string | null {
  const failed = calls.find(({ succeeded }) => succeeded !== true);
  return failed === undefined ? null : `Its call of ${failed.name} failed: ${failed.error ?? "it has no result"}`;
}

function readArguments(given: unknown): Record<string, unknown> | null {
  if (isPlainObject(given)) return given;
  if (typeof given !== "string") return null;
  try {
    const value: unknown = JSON.parse(given);
    return isPlainObject(value) ? value : null;
  } catch {
    return null;
  }
}
