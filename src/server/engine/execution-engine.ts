import {
  type FunctionApprovalRequestContent,
  type FunctionApprovalResponseContent,
  type FunctionCallContent,
  type FunctionResultContent,
  isPlainObject,
  LOCAL_OWNER,
  type ToolDefinition,
} from "../../lib/contract";
import { canonicalJson } from "./canonical-json";
import { DEFAULT_LIMITS } from "./execution-limits";
import { exceptionResult, toFunctionResult, withEditedArguments } from "./function-result";
import type { ExecuteOptions, ToolExecutor } from "./tool-executor";

/** What calls of a model are executed with. */
export interface FunctionInvocation {
  /** The one executor, or something that keeps track of calls before it. */
  executor: Pick<ToolExecutor, "execute">;
  /** The definition behind a name; undefined for an unknown tool. */
  find(name: string): ToolDefinition | undefined;
  /** Only these may be called; absent: every tool that `find` knows. */
  allowedTools?: readonly string[] | undefined;
  /** Merged under the arguments of every call: what the model gives wins (AGT-06). */
  customArgs?: Readonly<Record<string, unknown>> | undefined;
  /** Which tools a person has to be asked for; absent: none. */
  requiresApproval?: ((definition: ToolDefinition) => boolean) | undefined;
  /**
   * `return`: a call that needs approval gives its request, and whoever holds the conversation asks (AGT-05). `wait`: the
   * executor asks, and the call takes as long as that takes.
   */
  approvals?: "return" | "wait" | undefined;
  /** Characters of a result that the model is given, where the tool does not say; the usual limit when absent. */
  maxModelChars?: number | undefined;
  /** Given to every execution: source, actor, run, signal. */
  options?: ExecuteOptions | undefined;
  /** The id that a call is recorded under; the executor makes one when absent. */
  newExecutionId?: (() => string) | undefined;
}

export type InvocationOutcome = FunctionResultContent | FunctionApprovalRequestContent;

/** What is known of one call beside itself. */
export interface CallFacts {
  /** A person's answer to this call's approval request. */
  approval?: FunctionApprovalResponseContent | undefined;
  executionId?: string | undefined;
}

/** Arguments as the executor is given them, or why they cannot be read. */
export type ParsedArguments = { value: unknown; fault: null } | { value: string; fault: string };

/**
 * The arguments of a call: an object as it is, text parsed as JSON. Nothing at all means no arguments.
 *
 * @example
 * parseArguments({ type: "function_call", callId: "1", name: "add", arguments: '{"a":1}' }).value; // { a: 1 }
 */
export function parseArguments(
  { arguments: given }: FunctionCallContent,
  customArgs?: Readonly<Record<string, unknown>>,
): ParsedArguments {
  let value: unknown = given;
  if (typeof given === "string") {
    try {
      value = given.trim() === "" ? {} : JSON.parse(given);
    } catch (error) {
      return { value: given, fault: error instanceof Error ? error.message : String(error) };
    }
  }
  return { value: isPlainObject(value) && customArgs ? { ...customArgs, ...value } : value, fault: null };
}

/**
 * Runs one call through the executor. Never rejects: an unknown tool, malformed or invalid arguments and the tool's own
 * failure are exceptions in the content.
 *
 * @returns a FunctionResultContent with `result` or `exception`; for a tool that needs approval, and has none, a
 * FunctionApprovalRequestContent whose `id` is the call's: nothing was run
 * @example
 * const { registry, executor } = createToolEngine();
 * registry.registerFunction(addDefinition, async ({ a, b }) => String(Number(a) + Number(b)));
 * const content = await autoInvokeFunction(
 *   { type: "function_call", callId: "call_1", name: "add", arguments: '{"a":1,"b":2}' },
 *   { executor, find: (name) => registry.get(name) },
 * );
 * // { type: "function_result", callId: "call_1", name: "add", result: "3", executionId: "exec_…" }
 */
export async function autoInvokeFunction(
  call: FunctionCallContent,
  invocation: FunctionInvocation,
  facts: CallFacts = {},
): Promise<InvocationOutcome> {
  const { approval } = facts;
  const barred = refuseBarred(call, invocation);
  if (barred !== null) return barred;
  if (approval !== undefined && !approval.approved) {
    const reason = approval.reason?.trim();
    return exceptionResult(call, "rejected", `The call was rejected by a person${reason ? `: ${reason}` : ""}`);
  }
  if (approval === undefined && invocation.approvals !== "wait" && needsApproval(call, invocation)) {
    return { type: "function_approval_request", id: call.callId, functionCall: call };
  }
  // Of what a person answers only the arguments count: the tool is the one that was asked for.
  const toRun = approval === undefined ? call : { ...call, arguments: approval.functionCall.arguments };
  return await invoke(toRun, call, invocation, facts);
}

/**
 * Runs several calls at once; what became of them is in the order of the calls, whichever ended first (AGT-02).
 *
 * @example
 * const contents = await executeFunctionCalls(callsOf(response.messages[0]), invocation);
 * messages.push({ role: "tool", contents });
 */
export async function executeFunctionCalls(
  calls: readonly FunctionCallContent[],
  invocation: FunctionInvocation,
): Promise<InvocationOutcome[]> {
  return await Promise.all(calls.map((call) => autoInvokeFunction(call, invocation)));
}

/** Whether a person is asked before this call runs. */
export function needsApproval(call: FunctionCallContent, invocation: FunctionInvocation): boolean {
  const definition = invocation.find(call.name);
  return definition !== undefined && (invocation.requiresApproval?.(definition) ?? false);
}

/**
 * The answer to a call of a tool that exists but may not be called here; null for any other. A tool that does not exist is
 * the executor's to refuse, on the record.
 */
export function refuseBarred(
  call: FunctionCallContent,
  { allowedTools, find }: FunctionInvocation,
): FunctionResultContent | null {
  if (allowedTools === undefined || allowedTools.includes(call.name) || find(call.name) === undefined) return null;
  const known = allowedTools.length === 0 ? "no tools are" : `available: ${allowedTools.slice(0, 20).join(", ")}`;
  return exceptionResult(call, "not_found", `Tool '${call.name}' is not available here; ${known}`);
}

async function invoke(
  toRun: FunctionCallContent,
  asked: FunctionCallContent,
  invocation: FunctionInvocation,
  { approval, executionId }: CallFacts,
): Promise<FunctionResultContent> {
  const { executor, find, customArgs, options, maxModelChars, newExecutionId } = invocation;
  const { value, fault } = parseArguments(toRun, customArgs);
  const id = executionId ?? newExecutionId?.();
  // Text that is no JSON goes to the executor too: it refuses it, and the logbook has what the model wrote.
  const changed: { args: unknown }[] = [];
  const envelope = await executor.execute(toRun.name, value, {
    ...options,
    onApproved: (edited) => {
      if (edited !== null) changed.push(edited);
      options?.onApproved?.(edited);
    },
    callId: asked.callId,
    ...(id === undefined ? {} : { executionId: id }),
    ...(approval === undefined ? {} : { approval: approvedByCaller(approval, options) }),
  });
  const told = toFunctionResult(asked, envelope, find(toRun.name), maxModelChars ?? DEFAULT_LIMITS.maxModelChars);
  const edit =
    changed[0] ?? (approval && sayDifferent(toRun, asked) ? { args: parseArguments(toRun).value } : undefined);
  const result = edit === undefined ? told : withEditedArguments(told, JSON.stringify(edit.args));
  if (fault === null || result.exception === undefined || result.exception.kind === "not_found") return result;
  const required = /\nRequired parameters:[\s\S]*$/.exec(result.exception.message)?.[0] ?? "";
  const message = `The arguments are not valid JSON: ${fault}. Send them as one JSON object.${required}`;
  return { ...result, exception: { kind: "malformed_arguments", message } };
}

function sayDifferent(one: FunctionCallContent, other: FunctionCallContent): boolean {
  return canonicalJson(parseArguments(one).value) !== canonicalJson(parseArguments(other).value);
}

/** The executor need not ask again: whoever held the conversation did. */
function approvedByCaller(
  { reason }: FunctionApprovalResponseContent,
  options: ExecuteOptions | undefined,
): NonNullable<ExecuteOptions["approval"]> {
  return {
    approved: true,
    by: options?.actor ?? LOCAL_OWNER,
    at: Date.now(),
    reason: reason ?? null,
  };
}
