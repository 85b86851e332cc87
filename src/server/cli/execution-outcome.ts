import { classifyCall } from "../../lib/contract/call-class";
import type { ExecutionSummary } from "../../lib/contract/execution";
import { formatStatus, type ReceivedExecution } from "../calls/executions/execution-output";
import { CommandError, EXIT, type ExitCode } from "./command-error";

type Ended = Pick<ExecutionSummary, "status" | "errorKind" | "source">;

/** The class of an ended call. */
function toExecutionExit(call: Ended): ExitCode {
  if (call.status === "succeeded") return EXIT.done;
  if (call.errorKind === "not_found") return EXIT.notFound;
  const kind = classifyCall(call);
  if (kind === "invalid" || kind === "consoleInvalid") return EXIT.usage;
  return kind === "rejected" ? EXIT.refused : EXIT.failed;
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
