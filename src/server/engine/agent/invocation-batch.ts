import {
  type ChatMessage,
  type FunctionApprovalRequestContent,
  type FunctionApprovalResponseContent,
  type FunctionCallContent,
  type FunctionResultContent,
  listCalls,
} from "../../../lib/contract/chat";
import { DEFAULT_LIMITS } from "../executor/call-limit";
import { TimeSlice } from "../time-slice";
import type { CallTracker } from "./call-tracker";
import {
  autoInvokeFunction,
  needsApproval,
  type ParsedArguments,
  parseArguments,
  refuseBarred,
} from "./execution-engine";
import { exceptionResult, withNote } from "./function-result";
import type { FunctionInvocationOptions, InvocationUpdate } from "./invocation-updates";

/** Calls at the end of a conversation that not all have their result: answered approvals, a run that is resumed. */
interface PendingBatch {
  /** The messages up to and including the one with the calls. */
  before: ChatMessage[];
  calls: FunctionCallContent[];
  results: Map<string, FunctionResultContent>;
  approvals: Map<string, FunctionApprovalResponseContent>;
  after: ChatMessage[];
}

/** Null where every call of the last message with calls has its result. */
export function pendingBatch(messages: readonly ChatMessage[]): PendingBatch | null {
  const at = messages.findLastIndex((message) => message.role === "assistant" && listCalls(message).length > 0);
  const asking = messages[at];
  if (asking === undefined) return null;
  const calls = listCalls(asking);
  const results = new Map<string, FunctionResultContent>();
  const approvals = new Map<string, FunctionApprovalResponseContent>();
  const after: ChatMessage[] = [];
  for (const message of messages.slice(at + 1)) {
    const rest = message.contents.filter((content) => {
      if (content.type === "function_result") results.set(content.callId, content);
      else if (content.type === "function_approval_response") approvals.set(content.id, content);
      else if (content.type !== "function_approval_request") return true;
      return false;
    });
    if (rest.length > 0) after.push({ ...message, contents: rest });
  }
  if (calls.every(({ callId }) => results.has(callId))) return null;
  return { before: messages.slice(0, at + 1).map(withoutApprovals), calls, results, approvals, after };
}

/** Requests and responses are between us and a user: a provider never sees them. */
export function withoutApprovals(message: ChatMessage): ChatMessage {
  const contents = message.contents.filter(
    ({ type }) => type !== "function_approval_request" && type !== "function_approval_response",
  );
  return contents.length === message.contents.length ? message : { ...message, contents };
}

export interface Batch {
  calls: readonly FunctionCallContent[];
  /** Results of a batch that was started before. */
  results?: ReadonlyMap<string, FunctionResultContent>;
  approvals?: ReadonlyMap<string, FunctionApprovalResponseContent>;
  /** Null where the calls were counted before. */
  tracker: CallTracker | null;
  /** How many may still be executed. */
  budget: number;
}

export interface BatchOutcome {
  /** Results in the order of the calls; calls that wait for approval have none. */
  results: FunctionResultContent[];
  requests: FunctionApprovalRequestContent[];
  executed: number;
  /** A call failed; a rejection does not count. */
  failed: boolean;
}

interface Job {
  call: FunctionCallContent;
  executionId: string | undefined;
  parsed: ParsedArguments;
  repeated: number;
}

/** Runs the calls of a batch in parallel. Yields results as they come and returns them in the order of the calls. */
export async function* runBatch(
  batch: Batch,
  invocation: FunctionInvocationOptions,
): AsyncGenerator<InvocationUpdate, BatchOutcome> {
  const results = new Map<string, FunctionResultContent>(batch.results);
  const jobs: Job[] = [];
  for (const call of batch.calls) {
    if (results.has(call.callId)) continue;
    const recorded = (await invocation.recorded?.(call)) ?? null;
    const answered =
      recorded ?? refuseBarred(call, invocation) ?? refuseExcess(call, jobs.length, batch.budget, invocation);
    if (answered !== null) {
      results.set(call.callId, answered);
      yield { type: "call_finished", call, result: answered, recorded: recorded !== null };
      continue;
    }
    const parsed = parseArguments(call);
    const repeated = batch.tracker?.countRepeats(call, parsed) ?? 0;
    if (repeated > 0) {
      const text = `'${call.name}' has now been called ${repeated} times with the same arguments`;
      yield { type: "notice", notice: "repeated_call", text };
    }
    const executionId = invocation.newExecutionId?.();
    jobs.push({ call, executionId, parsed, repeated });
    const isReturned =
      invocation.approvals !== "wait" && needsApproval(call, invocation, parsed) && !batch.approvals?.has(call.callId);
    if (!isReturned) yield { type: "call_started", call, executionId };
  }
  const requests = yield* runJobs(jobs, batch, invocation, results);
  return {
    results: batch.calls.flatMap(({ callId }) => results.get(callId) ?? []),
    requests,
    executed: jobs.length - requests.length,
    failed: [...results.values()].some(({ exception }) => exception !== undefined && exception.kind !== "rejected"),
  };
}

function refuseExcess(
  call: FunctionCallContent,
  count: number,
  budget: number,
  { maxCallsPerResponse = DEFAULT_LIMITS.maxResponseCalls }: FunctionInvocationOptions,
): FunctionResultContent | null {
  if (count >= budget) {
    return exceptionResult(call, "limit_reached", "Not executed: this run reached its limit of tool calls");
  }
  if (count < maxCallsPerResponse) return null;
  const message = `Not executed: one response may make ${maxCallsPerResponse} calls. Make the others in the next response`;
  return exceptionResult(call, "limit_reached", message);
}

async function* runJobs(
  jobs: readonly Job[],
  batch: Batch,
  invocation: FunctionInvocationOptions,
  results: Map<string, FunctionResultContent>,
): AsyncGenerator<InvocationUpdate, FunctionApprovalRequestContent[]> {
  const requests: FunctionApprovalRequestContent[] = [];
  const finished: InvocationUpdate[] = [];
  let wake = (): void => {};
  let open = jobs.length;
  const slice = new TimeSlice();
  for (const { call, executionId, parsed, repeated } of jobs) {
    // A response may hold a thousand calls.
    await slice.pause();
    const approval = batch.approvals?.get(call.callId);
    void settled(call, autoInvokeFunction(call, invocation, { approval, executionId, parsed })).then((outcome) => {
      open -= 1;
      if (outcome.type === "function_approval_request") {
        requests.push(outcome);
        finished.push({ type: "approval_requested", request: outcome });
      } else {
        const result = repeated > 0 ? withNote(outcome, repeatNote(repeated)) : outcome;
        results.set(call.callId, result);
        finished.push({ type: "call_finished", call, result, recorded: false });
      }
      wake();
    });
  }
  for (;;) {
    const next = finished.shift();
    if (next !== undefined) yield next;
    else if (open === 0) return requests;
    else
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
  }
}

/** An executor never rejects; if one does, its call still gets a result. */
async function settled<T>(call: FunctionCallContent, outcome: Promise<T>): Promise<T | FunctionResultContent> {
  try {
    return await outcome;
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    return exceptionResult(call, "unexpected", `The call could not be carried out: ${message}`);
  }
}

function repeatNote(times: number): string {
  return `[This very call has now been made ${times} times in this conversation. Calling it again will hardly help: use what is known, try something else, or say what is missing.]`;
}
