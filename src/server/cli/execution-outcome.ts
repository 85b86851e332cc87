import { type CallClass, classifyCall } from "../../lib/contract/call-class";
import type { ExecutionDetail, ExecutionSummary } from "../../lib/contract/execution";
import { findMember } from "../../lib/json/json-text";
import { CommandError, EXIT, type ExitCode } from "./command-error";
import type { Cell, Color } from "./output";

/** An execution as the REST API has it. */
export type ReceivedExecution = Omit<ExecutionDetail, "resultText"> & { resultStart: string | null };

type Ended = Pick<ExecutionSummary, "status" | "errorKind" | "source">;

/** The class of an ended call. */
function toExecutionExit(call: Ended): ExitCode {
  if (call.status === "succeeded") return EXIT.done;
  if (call.errorKind === "not_found") return EXIT.notFound;
  const kind = classifyCall(call);
  if (kind === "invalid" || kind === "consoleInvalid") return EXIT.usage;
  return kind === "rejected" ? EXIT.refused : EXIT.failed;
}

const COLORS: Partial<Record<string, Color>> = {
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
export function formatStatus(call: Ended): Cell {
  const kind = classifyCall(call);
  const text = WORDS[kind] ?? kind;
  return { text, color: COLORS[text] };
}

/** @param isPrinted true where the output says already what failed: then the exit code alone tells it */
export function assertSucceeded(execution: ReceivedExecution, isPrinted: boolean): void {
  const code = toExecutionExit(execution);
  if (code === EXIT.done) return;
  const { id, error, faults } = execution;
  if (isPrinted) throw new CommandError(code, "");
  const state = formatStatus(execution).text;
  const problems = faults
    .filter(({ severity }) => severity !== "warning")
    .map(({ path, message }) => `${path || "arguments"} ${message}`);
  const reason = problems.length > 0 ? problems.join("; ") : (error ?? "no reason was given");
  throw new CommandError(
    code,
    `${state[0]?.toUpperCase()}${state.slice(1)}: ${reason}`,
    `See it with: toolroom executions show ${id}`,
  );
}

/** The text of `result` as it was sent. */
export function readResultText(executionText: string): string {
  const span = findMember(executionText, 0, "result");
  return span === null ? "null" : executionText.slice(span.start, span.end);
}
