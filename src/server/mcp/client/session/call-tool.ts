import { setImmediate as yieldTurn } from "node:timers/promises";
import { LOG_LEVEL_META_KEY } from "@modelcontextprotocol/client";
import type { ToolCallResult } from "../../../../lib/contract/content";
import { isPlainObject } from "../../../../lib/contract/json";
import { toExactText } from "../../../../lib/json/exact-text";
import { getKeptText, withMembers } from "../../../../lib/json/known-text";
import { INLINE_CHARS } from "../../../../lib/parse-in-slices";
import type { ToolContext } from "../../../engine/ports";
import { writeLargeNumbers } from "../../fast-path/header-parameters";
import { CALL_OPTIONS } from "../../fast-path/sdk-results";
import { answerInputRequest } from "../interaction/handle-server-requests";
import { createOutgoingRequest, type OutgoingRequest, REQUEST } from "../transport/sent-request";
import { sleep } from "../wait";
import { toCallFailure } from "./call-failure";
import { FollowedTask, type Reopen } from "./follow-task";
import { listTools } from "./lists";
import type { ProtocolSession } from "./protocol-session";
import type { RunningToolCall } from "./running-tool-calls";
import { readCreatedTask } from "./task-state";

/** How often a server may request input within one call. */
export const MAX_ROUNDS = 20;
/** Error code: the headers contradict the arguments. */
const HEADER_MISMATCH = -32_020;
/** Delay after a round without input requests. */
const PAUSE_MS = 250;

/** How long a server keeps a task for Toolroom: as long as a user may take to answer a question. */
const TASK_TTL_MS = 86_400_000;
/** How long the answer to a cancelled `tools/call` is awaited: without a task's id, the task could not be cancelled. */
const CREATION_GRACE_MS = 5000;

/**
 * Runs a tool on the server of this session, as a task where the tool demands it or the server decides so.
 * @param reopen for a task, which outlives the connection
 * @throws ToolFailure; SessionLost when the server refused the call without running it, since it forgot the session
 */
export async function callTool(
  session: ProtocolSession,
  tool: string,
  args: Record<string, unknown>,
  context: ToolContext,
  reopen: Reopen,
): Promise<ToolCallResult> {
  const call = session.calls.begin(tool, context);
  try {
    let params = buildParams(session, tool, args, context.callerMeta);
    if (runsAsTask(session, tool, context)) params.task = { ttl: TASK_TTL_MS };
    let relisted = false;
    for (let round = 0; round < MAX_ROUNDS; round += 1) {
      let result: unknown;
      const request = createOutgoingRequest(call);
      try {
        result = await send(session, call, params, request);
        // The stored text of a long result is built in a turn of its own.
        if (isPlainObject(result) && (getKeptText(result)?.length ?? 0) > INLINE_CHARS) await yieldTurn();
      } catch (error) {
        if (relisted || (error as { code?: unknown }).code !== HEADER_MISMATCH) throw error;
        // The call did not run: the schema that maps arguments to headers has changed.
        relisted = true;
        await listTools(session, call.context.signal);
        continue;
      }
      const task = readCreatedTask(result, session.modern);
      if (task !== null) {
        const followed = new FollowedTask(session, call, task, { token: request.id, reopen });
        return toToolCallResult(await followed.result(), call);
      }
      if (!isPlainObject(result) || result.resultType !== "input_required") {
        return toToolCallResult(result, call);
      }
      params = await answerInputRequests(session, call, params, result);
    }
    throw new Error(`it requested input more than ${MAX_ROUNDS} times during one call`);
  } catch (error) {
    throw toCallFailure(error, session, call);
  } finally {
    session.calls.end(call);
    session.closeWhenIdle();
  }
}

interface CallParams extends Record<string, unknown> {
  name: string;
  arguments: Record<string, unknown>;
  task?: { ttl: number };
}

/** Where a tool can also be called plainly it is, unless the caller can wait: a task costs two more requests and the time between polls. */
function runsAsTask({ taskTools }: ProtocolSession, tool: string, context: ToolContext): boolean {
  const support = taskTools.get(tool);
  return support === "required" || (support === "optional" && context.asTask === true);
}

/** Passes the same arguments object on, never copied, converted or completed. */
function buildParams(
  session: ProtocolSession,
  name: string,
  args: Record<string, unknown>,
  callerMeta: Readonly<Record<string, unknown>> | undefined,
): CallParams {
  const meta = buildMeta(session, callerMeta);
  return meta === null ? { name, arguments: args } : { name, arguments: args, _meta: meta };
}

/** Null where no metadata is needed. */
export function buildMeta(
  session: ProtocolSession,
  callerMeta: Readonly<Record<string, unknown>> | undefined,
): Record<string, unknown> | null {
  // In the stateless protocol a server sends logs only for requests that demand them.
  const wantsLog = session.modern && session.client.getServerCapabilities()?.logging !== undefined;
  const meta = { ...callerMeta, ...(wantsLog ? { [LOG_LEVEL_META_KEY]: "info" } : {}) };
  return Object.keys(meta).length === 0 ? null : meta;
}

function send(
  session: ProtocolSession,
  call: RunningToolCall,
  params: CallParams,
  request: OutgoingRequest,
): Promise<unknown> {
  const { client } = session;
  const signal = params.task === undefined ? call.context.signal : abortLate(call.context.signal);
  const schema = session.headerTools.get(call.tool);
  if (schema === undefined) return session.awaitResult(request, client.call(request, { ...params }, signal));
  // Only the SDK's `callTool` repeats arguments in headers, and it needs the tool's schema.
  request.headers = writeLargeNumbers(schema, params.arguments, getKeptText(params.arguments));
  const paramsWithRequest = { ...params, [REQUEST]: request };
  const sending = client.callTool(paramsWithRequest, {
    ...CALL_OPTIONS,
    signal,
    toolDefinition: { name: call.tool, inputSchema: schema as { type: "object" } },
  });
  return session.awaitResult(request, sending);
}

function abortLate(signal: AbortSignal): AbortSignal {
  if (signal.aborted) return signal;
  const late = new AbortController();
  const onAbort = (): void => void setTimeout(() => late.abort(signal.reason), CREATION_GRACE_MS).unref();
  signal.addEventListener("abort", onAbort, { once: true });
  return late.signal;
}

/** @returns the params to send again, with the answers */
export async function answerInputRequests<Params extends Record<string, unknown>>(
  session: ProtocolSession,
  call: RunningToolCall,
  params: Params,
  { inputRequests, requestState }: Record<string, unknown>,
): Promise<Params> {
  const asked = isPlainObject(inputRequests) ? Object.entries(inputRequests) : [];
  const { inputResponses: _, requestState: __, ...original } = params;
  if (asked.length === 0) await sleep(PAUSE_MS, call.context.signal);
  const round = new AbortController();
  const signal = AbortSignal.any([call.context.signal, round.signal]);
  const answers = await Promise.all(
    asked.map(async ([key, request]) => {
      try {
        return [key, await answerInputRequest(request, { session, call, signal, key })] as const;
      } catch (error) {
        // The other answers are useless without this one.
        round.abort(error);
        throw error;
      }
    }),
  );
  const next: Record<string, unknown> = { ...original };
  if (answers.length > 0) next.inputResponses = Object.fromEntries(answers);
  // The server's own state, returned unchanged.
  if (requestState !== undefined) next.requestState = requestState;
  return next as Params;
}

/**
 * The result as received, without its type and with `content` made an array of objects. Returns the same object where
 * nothing changes.
 */
function toToolCallResult(result: unknown, { context }: RunningToolCall): ToolCallResult {
  const received = (isPlainObject(result) ? result : {}) as ToolCallResult & { resultType?: unknown };
  const { resultType, content } = received as Record<string, unknown>;
  if (isObjects(content)) return resultType === undefined ? received : withMembers(received, { resultType: undefined });
  const { blocks, note } = readContent(received);
  if (note !== null) context.logger.warn(`The server's result ${note}`);
  return withMembers({ ...received }, { resultType: undefined, content: blocks });
}

function isObjects(content: unknown): boolean {
  return Array.isArray(content) && content.every(isPlainObject);
}

/** The blocks of content in another form than the protocol's, which are shown as text; nothing is dropped. */
function readContent(result: Record<string, unknown>): { blocks: ToolCallResult["content"]; note: string | null } {
  const { content, toolResult } = result;
  if (content !== undefined && content !== null) {
    const isList = Array.isArray(content);
    const note = `has ${isList ? "parts" : "'content'"} of another form than the protocol's, shown as text`;
    if (!isList && isPlainObject(content) && typeof content.type === "string") {
      return { blocks: [content as ToolCallResult["content"][number]], note: "has one block of content, not a list" };
    }
    return { blocks: (isList ? content : [content]).map(toBlock), note };
  }
  if (toolResult === undefined || toolResult === null) return { blocks: [], note: null };
  return {
    blocks: [toBlock(toolResult)],
    note: "has no 'content' but 'toolResult' of the first protocol, shown as text",
  };
}

function toBlock(part: unknown): ToolCallResult["content"][number] {
  if (isPlainObject(part) && typeof part.type === "string") return part as ToolCallResult["content"][number];
  return { type: "text", text: typeof part === "string" ? part : (toExactText(part) ?? "null") };
}
