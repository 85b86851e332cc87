import type { Actor } from "../../../lib/contract/actor";
import type { Assertion, TestResult } from "../../../lib/contract/suite";
import { newExecutionId } from "../../../lib/execution-id";
import { getMessage } from "../../../lib/get-message";
import { runConcurrently } from "../../../lib/run-concurrently";
import { type CallOutcome, type CheckSchema, checkAssertions } from "../../../lib/testing/check-assertions";
import type { ExecutionService } from "../../calls/executions/execution-service";
import type { StoredExecution } from "../../calls/executions/execution-store";
import { CallArguments, maskFaults } from "../../engine/executor/call-arguments";
import type { ExecuteOptions } from "../../engine/executor/tool-executor";

/** A call with its expected outcome: a test of a suite, or a recorded call. */
export interface TestCall {
  name: string;
  tool: string;
  /** The arguments as JSON text. */
  argumentsText: string;
  assertions: readonly Assertion[];
  timeoutMs?: number | undefined;
  /** The recorded call that this one repeats. */
  originalId?: string | undefined;
  skipValidation?: boolean | undefined;
  /** Checks the outcome in place of the assertions. */
  check?: ((outcome: CallOutcome) => Promise<CheckOutcome>) | undefined;
}

export type CheckOutcome = Awaited<ReturnType<typeof checkAssertions>>;

export interface RunTestsPorts {
  execute: ExecutionService["execute"];
  find: (executionId: string) => Promise<StoredExecution | null>;
  needsApproval: (tool: string) => boolean;
  checkSchema: CheckSchema;
}

export interface RunTestsOptions {
  actor: Actor;
  /** False: calls that need approval are not made. */
  asksForApproval: boolean;
  concurrency: number;
  /** Ends the run: calls that run are cancelled, the others are skipped. */
  signal: AbortSignal;
  onResult: (result: TestResult) => Promise<void>;
}

const NEEDS_APPROVAL = "The tool needs approval: allow the run to ask for it, or call the tool by hand";
const NOT_REACHED = "The run ended before";

/** Calls tools, a few at once, and hands over the result of each as it ends. */
export async function runTests(
  calls: readonly TestCall[],
  ports: RunTestsPorts,
  options: RunTestsOptions,
): Promise<void> {
  const { concurrency, signal, onResult } = options;
  await runConcurrently(calls.entries(), concurrency, async ([position, call]) => {
    const result = signal.aborted ? skip(NOT_REACHED) : await runTest(call, ports, options);
    const { name, tool, originalId = null } = call;
    await onResult({ position, name, tool, originalId, ...result });
  });
}

type Result = Omit<TestResult, "position" | "name" | "tool" | "originalId">;

function skip(reason: string, executionId: string | null = null): Result {
  return { status: "skipped", reason, executionId, durationMs: null, problems: [] };
}

async function runTest(
  call: TestCall,
  { execute, find, needsApproval, checkSchema }: RunTestsPorts,
  { actor, asksForApproval, signal }: RunTestsOptions,
): Promise<Result> {
  const { tool, assertions, timeoutMs, originalId, skipValidation } = call;
  if (!asksForApproval && needsApproval(tool)) return skip(NEEDS_APPROVAL);
  const args = parseArguments(call.argumentsText);
  if ("problem" in args) return skip(args.problem);
  const executionId = newExecutionId();
  const controller = new AbortController();
  const cancel = (): void => controller.abort(new DOMException("Cancelled", "AbortError"));
  signal.addEventListener("abort", cancel, { once: true });
  if (signal.aborted) cancel();
  let isUnapproved = false;
  const options: ExecuteOptions = {
    actor,
    source: "test",
    executionId,
    controller,
    signal: controller.signal,
    ...(timeoutMs === undefined ? {} : { timeoutMs }),
    ...(originalId === undefined ? {} : { parentId: originalId }),
    ...(skipValidation === undefined ? {} : { skipValidation }),
    onWaiting() {
      // The tool's setting changed after it was checked.
      if (asksForApproval) return;
      isUnapproved = true;
      cancel();
    },
  };
  const envelope = await execute(tool, args, options).finally(() => signal.removeEventListener("abort", cancel));
  if (isUnapproved) return skip(NEEDS_APPROVAL, executionId);
  if (signal.aborted && envelope.status === "cancelled") return skip(NOT_REACHED, executionId);
  // What is stored has masks in place of secrets, as what is expected has: problems of tests show parts of it.
  const stored = await find(executionId);
  if (stored === null) {
    const message = envelope.success ? "the call could not be recorded" : envelope.error;
    const problem = { assertion: "error", path: "", message, expected: null, actual: null };
    return { status: "error", reason: null, executionId: null, durationMs: null, problems: [problem] };
  }
  const outcome = toOutcome(stored);
  const { status, problems } = await (call.check?.(outcome) ?? checkAssertions(assertions, outcome, checkSchema));
  return { status, reason: null, executionId, durationMs: stored.durationMs, problems };
}

/** Masked values are never sent to a tool. */
function parseArguments(text: string): CallArguments | { problem: string } {
  try {
    const args = CallArguments.parse(text);
    const [mask] = maskFaults(args);
    return mask === undefined
      ? args
      : {
          problem: `Its arguments are stored masked (${mask.path || "arguments"}): enter the value in a test of your own`,
        };
  } catch (error) {
    return { problem: `Its arguments are no JSON: ${getMessage(error)}` };
  }
}

export function toOutcome(stored: StoredExecution): CallOutcome {
  const { resultText, resultTruncated, resultBytes, error, errorKind, durationMs } = stored;
  return {
    succeeded: stored.status === "succeeded",
    resultText,
    resultTruncated,
    resultBytes,
    error,
    errorKind,
    durationMs,
  };
}
