import { type CallClass, classifyCall } from "../../../lib/contract/call-class";
import type { ExecutionDetail, ExecutionSummary } from "../../../lib/contract/execution";
import { formatTitle } from "../../../lib/contract/execution-kind";
import { formatDuration } from "../../../lib/format/duration";
import { formatAmount } from "../../../lib/format/rule-limit-words";
import { toLocalIso } from "../../../lib/format/time-zone";
import { findMember } from "../../../lib/json/json-text";
import type { CellColor, CellInput, CommandPart } from "../../platform/api/operation-command";

/** An execution as the REST API has it. */
export type ReceivedExecution = Omit<ExecutionDetail, "resultText"> & { resultStart: string | null };

const COLORS: Partial<Record<string, CellColor>> = {
  succeeded: "green",
  failed: "red",
  "timed out": "red",
  interrupted: "red",
  invalid: "yellow",
  "needs approval": "yellow",
  rejected: "yellow",
};

const WORDS: Partial<Record<CallClass, string>> = {
  error: "failed",
  timedOut: "timed out",
  consoleInvalid: "invalid",
  waiting: "needs approval",
};

/** A call's state in the words of the console. */
export function formatStatus(
  call: Pick<ExecutionSummary, "status" | "errorKind" | "source">,
): Exclude<CellInput, string> {
  const kind = classifyCall(call);
  const text = WORDS[kind] ?? kind;
  return { text, color: COLORS[text] };
}

/** The unchanged text of `result`. */
export function readResultText(executionText: string): string {
  const span = findMember(executionText, 0, "result");
  return span === null ? "null" : executionText.slice(span.start, span.end);
}

/** Formats in the user's own time zone. */
export function formatTime(at: number): string {
  return toLocalIso(at, Intl.DateTimeFormat().resolvedOptions().timeZone).slice(0, 19).replace("T", " ");
}

/** An execution for a user. @param text as the REST API has it */
export function describeExecution(text: string): CommandPart[] {
  const call = JSON.parse(text) as ReceivedExecution;
  const problems = call.faults.map(({ path, message }) => `  ${path || "arguments"} ${message}`).join("\n");
  const logs = call.logs.map(({ level, message }) => `  ${level.padEnd(5)} ${message}`).join("\n");
  const result = call.resultStart ?? (call.status === "succeeded" ? readResultText(text) : null);
  const sections: [string, string | null][] = [
    ["Problems", problems || null],
    ["Arguments", call.argumentsText],
    [call.resultStart === null ? "Result" : "Result (its beginning; the rest was not stored)", result],
    ["Log", logs || null],
  ];
  return [
    { facts: listFacts(call) },
    ...sections.flatMap(([title, body]): CommandPart[] =>
      body === null ? [] : [{ lines: ["", title] }, { json: body }],
    ),
  ];
}

function listFacts(call: ReceivedExecution): [label: string, value: CellInput | null][] {
  return [
    ["Execution", call.id],
    ["Tool", formatTitle(call)],
    ["Status", formatStatus(call)],
    ["Started", formatTime(call.queuedAt)],
    ["Duration", formatDuration(call.durationMs)],
    ["Cost", call.cost === undefined ? null : formatAmount("money", call.cost)],
    ["Caller", call.client === null ? call.actor.name : `${call.actor.name} (${call.client})`],
    ["Source", call.source],
    ["Run", call.runId],
    ["Reason", call.reason],
    ["Error", call.error === null ? null : { text: call.error, color: "red" }],
  ];
}
