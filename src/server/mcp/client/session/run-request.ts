import { isPlainObject } from "../../../../lib/contract/json";
import type { ToolContext } from "../../../engine/ports";
import { ANY_RESULT, CALL_OPTIONS } from "../../fast-path/sdk-results";
import { createOutgoingRequest, REQUEST } from "../transport/sent-request";
import { toCallFailure } from "./call-failure";
import { answerInputRequests, buildMeta, MAX_ROUNDS } from "./call-tool";
import type { ProtocolSession } from "./protocol-session";

/** The fields that belong to the connection between Toolroom and the server. */
const CONNECTION_FIELDS = ["resultType", "cacheScope"];

/**
 * Sends a request other than `tools/call` with all that a call has: progress, logs, input requests, cancellation.
 * @returns the result as received, without the fields that concern this connection only
 * @throws ToolFailure; SessionLostError when the server forgot the session
 */
export async function runRequest(
  session: ProtocolSession,
  method: string,
  params: Record<string, unknown>,
  context: ToolContext,
): Promise<Record<string, unknown>> {
  const call = session.calls.begin(method, context);
  try {
    const meta = buildMeta(session, context.callerMeta);
    let sent = meta === null ? params : { ...params, _meta: meta };
    for (let round = 0; round < MAX_ROUNDS; round += 1) {
      const request = createOutgoingRequest(call);
      const result = await session.awaitResult(
        request,
        session.client.request({ method, params: { ...sent, [REQUEST]: request } }, ANY_RESULT, {
          ...CALL_OPTIONS,
          signal: context.signal,
        }),
      );
      if (!isPlainObject(result)) throw new Error(`the answer to ${method} is not an object`);
      if (result.resultType !== "input_required") return withoutConnectionFields(result);
      sent = await answerInputRequests(session, call, sent, result);
    }
    throw new Error(`it requested input more than ${MAX_ROUNDS} times during one request`);
  } catch (error) {
    throw toCallFailure(error, session, call);
  } finally {
    session.calls.end(call);
    session.closeWhenIdle();
  }
}

export function withoutConnectionFields(result: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(result).filter(([key]) => !CONNECTION_FIELDS.includes(key)));
}
