import { LOG_LEVEL_META_KEY, type RequestOptions } from "@modelcontextprotocol/client";
import type { ToolCallResult } from "../../../lib/contract";
import { isPlainObject } from "../../../lib/contract/json";
import type { ToolContext } from "../../engine/ports";
import { callFailure } from "./call-failure";
import type { InFlightCall } from "./in-flight-calls";
import { answerInputRequest } from "./interactions";
import { listTools } from "./lists";
import { createOutgoingRequest, REQUEST } from "./observed-transport";
import { NO_TIMEOUT_MS, type ProtocolSession } from "./protocol-session";
import { ANY_RESULT } from "./result-schema";
import { sleep } from "./wait";

/** How often a server may ask back within one call. */
const MAX_ROUNDS = 20;
/** The headers do not say what the arguments say. */
const HEADER_MISMATCH = -32_020;
/** Between two rounds in which the server asks for nothing but time. */
const PAUSE_MS = 250;

/**
 * Runs a tool on the server of this session.
 * @throws ToolFailure; SessionLost when the server refused the call without running it, since it forgot the session
 */
export async function callTool(
  session: ProtocolSession,
  tool: string,
  args: Record<string, unknown>,
  context: ToolContext,
): Promise<ToolCallResult> {
  const call = session.calls.begin(tool, context);
  try {
    let params = paramsOf(session, tool, args);
    let reread = false;
    for (let round = 0; round < MAX_ROUNDS; round += 1) {
      let result: unknown;
      try {
        result = await send(session, call, params);
      } catch (error) {
        if (reread || (error as { code?: unknown }).code !== HEADER_MISMATCH) throw error;
        // Refused without being run: the schema that says which arguments go into headers has changed.
        reread = true;
        await listTools(session, call.context.signal);
        continue;
      }
      if (!isPlainObject(result) || result.resultType !== "input_required") return shape(result);
      params = await nextParams(session, call, params, result);
    }
    throw new Error(`it asked back more than ${MAX_ROUNDS} times within one call`);
  } catch (error) {
    throw callFailure(error, session, call);
  } finally {
    session.calls.end(call);
    session.closeWhenIdle();
  }
}

interface CallParams extends Record<string, unknown> {
  name: string;
  arguments: Record<string, unknown>;
}

/** The arguments go out as they are: the same object, never copied, converted or completed. */
function paramsOf(session: ProtocolSession, name: string, args: Record<string, unknown>): CallParams {
  // In the stateless protocol a server logs only to requests that ask for it.
  const wantsLog = session.modern && session.client.getServerCapabilities()?.logging !== undefined;
  return wantsLog ? { name, arguments: args, _meta: { [LOG_LEVEL_META_KEY]: "info" } } : { name, arguments: args };
}

function send(session: ProtocolSession, call: InFlightCall, params: CallParams): Promise<unknown> {
  const { client } = session;
  const request = createOutgoingRequest(call);
  const marked = { ...params, [REQUEST]: request };
  const options: RequestOptions = {
    signal: call.context.signal,
    timeout: NO_TIMEOUT_MS,
    // We know whose call it is, so we answer what the server asks for in it.
    allowInputRequired: true,
    // Makes the SDK give out a token; what comes for it is heard in `notifications.ts`.
    onprogress: () => undefined,
  };
  const schema = session.headerTools.get(call.tool);
  // Only the SDK's own way of calling repeats arguments in headers; it needs the tool's schema for that.
  const sending =
    schema === undefined
      ? client.request({ method: "tools/call", params: marked }, ANY_RESULT, options)
      : client.callTool(marked, {
          ...options,
          toolDefinition: { name: call.tool, inputSchema: schema as { type: "object" } },
        });
  return session.settle(request, sending);
}

async function nextParams(
  session: ProtocolSession,
  call: InFlightCall,
  params: CallParams,
  { inputRequests, requestState }: Record<string, unknown>,
): Promise<CallParams> {
  const asked = isPlainObject(inputRequests) ? Object.entries(inputRequests) : [];
  const { inputResponses: _, requestState: __, ...original } = params;
  if (asked.length === 0) await sleep(PAUSE_MS, call.context.signal);
  const round = new AbortController();
  const signal = AbortSignal.any([call.context.signal, round.signal]);
  const answers = await Promise.all(
    asked.map(async ([key, request]) => {
      try {
        return [key, await answerInputRequest(session, request, call, signal)] as const;
      } catch (error) {
        // Without one answer the others are of no use: nobody is asked for them any longer.
        round.abort(error);
        throw error;
      }
    }),
  );
  const next: CallParams = { ...(original as CallParams) };
  if (answers.length > 0) next.inputResponses = Object.fromEntries(answers);
  // As it came: it is the server's own memory.
  if (requestState !== undefined) next.requestState = requestState;
  return next;
}

/** As it came, but for what the type promises. */
function shape(result: unknown): ToolCallResult {
  const given = isPlainObject(result) ? result : {};
  const { resultType: _, ...rest } = given;
  const content = Array.isArray(rest.content) ? rest.content.filter(isPlainObject) : [];
  return { ...rest, content: content as ToolCallResult["content"] };
}
