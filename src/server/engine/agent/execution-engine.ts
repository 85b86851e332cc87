import { LOCAL_OWNER } from "../../../lib/contract/actor";
import type {
  ChatTool,
  FunctionApprovalRequestContent,
  FunctionApprovalResponseContent,
  FunctionCallContent,
  FunctionResultContent,
} from "../../../lib/contract/chat";
import type { ToolDefinition } from "../../../lib/contract/tool-definition";
import { canonicalJson } from "../../../lib/json/canonical-json";
import { isNoArguments } from "../../../lib/json/no-arguments";
import { CallArguments } from "../executor/call-arguments";
import { DEFAULT_LIMITS } from "../executor/call-limit";
import type { ExecuteOptions, ToolExecutor } from "../executor/tool-executor";
import { exceptionResult, toFunctionResult, withEditedArguments, withNote } from "./function-result";

/** The services that execute calls of a model. */
export interface FunctionInvocation {
  /** The one executor, or something that keeps track of calls before it. */
  executor: Pick<ToolExecutor, "execute">;
  /** The definition behind a name; undefined for an unknown tool. */
  find(name: string): ToolDefinition | undefined;
  /** The tool that a call with these arguments runs, where its name does not say; absent: `find` of its name. */
  findFor?: ((call: FunctionCallContent, args: CallArguments) => ToolDefinition | undefined) | undefined;
  /** The tools that may be called; absent: every tool that `find` knows. */
  allowedTools?: readonly string[] | undefined;
  /** Merged under the arguments of every call: the model's values win (AGT-06). */
  customArgs?: Readonly<Record<string, unknown>> | undefined;
  /** Decides which tools require approval; absent: none. */
  requiresApproval?: ((definition: ToolDefinition) => boolean) | undefined;
  /**
   * `return`: a call that requires approval returns its request, and the caller gets the decision (AGT-05). `wait`: the
   * executor asks, and the call takes as long as that takes.
   */
  approvals?: "return" | "wait" | undefined;
  /** Characters of a result that the model is given, where the tool does not say; the usual limit when absent. */
  maxModelChars?: number | undefined;
  /** Reads the rest of results that were cut; absent: the rest cannot be read. */
  cutResults?: CutResults | undefined;
  /** Given to every execution: source, actor, run, signal. */
  options?: ExecuteOptions | undefined;
  /** The id that a call is recorded under; the executor makes one when absent. */
  newExecutionId?: (() => string) | undefined;
}

export interface CutResults {
  tool: ChatTool;
  /** Whether the tool is among those of the next request: only once a result was cut. */
  isOffered(): boolean;
  /** The text that tells a model how to read the rest. */
  describe(executionId: string): string;
}

export type InvocationOutcome = FunctionResultContent | FunctionApprovalRequestContent;

/** The facts of one call beside its content. */
export interface CallFacts {
  /** A user's answer to this call's approval request. */
  approval?: FunctionApprovalResponseContent | undefined;
  executionId?: string | undefined;
  /** The call's arguments, where they were parsed before. */
  parsed?: ParsedArguments | undefined;
}

/** Arguments for the executor; `fault` says why a text is not JSON, and then the text itself is the value. */
export interface ParsedArguments {
  args: CallArguments;
  fault: string | null;
}

/**
 * The arguments of a call: text is parsed as JSON and kept as it was sent, an object is taken as it is. An empty text and
 * `null` mean no arguments.
 *
 * @example
 * parseArguments({ type: "function_call", callId: "1", name: "add", arguments: '{"a":1}' }).args.value; // { a: 1 }
 */
export function parseArguments({ arguments: sent }: FunctionCallContent): ParsedArguments {
  if (typeof sent !== "string") return { args: new CallArguments(sent ?? {}), fault: null };
  if (isNoArguments(sent)) return { args: new CallArguments({}), fault: null };
  try {
    return { args: CallArguments.parse(sent), fault: null };
  } catch (error) {
    return { args: new CallArguments(sent), fault: error instanceof Error ? error.message : String(error) };
  }
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
  if (approval === undefined && invocation.approvals !== "wait" && needsApproval(call, invocation, facts.parsed)) {
    return { type: "function_approval_request", id: call.callId, functionCall: call };
  }
  return await invoke(call, invocation, facts);
}

/**
 * Runs several calls at once; what became of them is in the order of the calls, whichever ended first (AGT-02).
 *
 * @example
 * const contents = await executeFunctionCalls(listCalls(response.messages[0]), invocation);
 * messages.push({ role: "tool", contents });
 */
export async function executeFunctionCalls(
  calls: readonly FunctionCallContent[],
  invocation: FunctionInvocation,
): Promise<InvocationOutcome[]> {
  return await Promise.all(calls.map((call) => autoInvokeFunction(call, invocation)));
}

function findTool(
  { find, findFor }: FunctionInvocation,
  call: FunctionCallContent,
  { args }: ParsedArguments,
): ToolDefinition | undefined {
  return findFor === undefined ? find(call.name) : findFor(call, args);
}

/** Tells whether this call requires approval. */
export function needsApproval(
  call: FunctionCallContent,
  invocation: FunctionInvocation,
  parsed = parseArguments(call),
): boolean {
  const definition = findTool(invocation, call, parsed);
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
  call: FunctionCallContent,
  invocation: FunctionInvocation,
  facts: CallFacts,
): Promise<FunctionResultContent> {
  const { executor, customArgs = {}, options, newExecutionId } = invocation;
  const { approval, parsed = parseArguments(call), executionId = newExecutionId?.() } = facts;
  // An approval response may only change the arguments: the tool is the one that the model called.
  const toRun = approval === undefined ? parsed : parseArguments(approval.functionCall);
  let edited = isSameArguments(toRun, parsed) ? null : toRun.args;
  // Text that is not JSON goes to the executor too, which refuses and records it.
  const envelope = await executor.execute(call.name, toRun.args.withDefaults(customArgs), {
    ...options,
    onApproved: (editedByUser) => {
      edited = editedByUser ?? edited;
      options?.onApproved?.(editedByUser);
    },
    callId: call.callId,
    ...(executionId === undefined ? {} : { executionId }),
    ...(approval === undefined ? {} : { approval: approvedByCaller(approval, options) }),
  });
  const maxModelChars = invocation.maxModelChars ?? DEFAULT_LIMITS.maxModelChars;
  const definition = findTool(invocation, call, parsed);
  const answer = withCutNote(toFunctionResult(call, envelope, definition, maxModelChars), invocation);
  const result = edited === null ? answer : withEditedArguments(answer, edited.text);
  if (toRun.fault === null || result.exception === undefined || result.exception.kind === "not_found") return result;
  const required = /\nRequired parameters:[\s\S]*$/.exec(result.exception.message)?.[0] ?? "";
  const message = `The arguments are not valid JSON: ${toRun.fault}. Send them as one JSON object.${required}`;
  return { ...result, exception: { kind: "malformed_arguments", message } };
}

function withCutNote(result: FunctionResultContent, { cutResults }: FunctionInvocation): FunctionResultContent {
  const { cut, executionId } = result;
  if (cutResults === undefined || cut !== true || executionId === undefined) return result;
  return withNote(result, cutResults.describe(executionId));
}

function isSameArguments(one: ParsedArguments, other: ParsedArguments): boolean {
  return one === other || canonicalJson(one.args.value) === canonicalJson(other.args.value);
}

/** The caller already has the decision, so the executor requests none. */
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
