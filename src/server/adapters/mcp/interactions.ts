import { ProtocolError } from "@modelcontextprotocol/client";
import type { InteractionAnswer, InteractionRequest } from "../../../lib/contract";
import { isPlainObject, type JsonSchema } from "../../../lib/contract/json";
import type { InteractionDesk } from "../../engine/mcp-ports";
import { findFormFault } from "./form-fault";
import type { InFlightCall } from "./in-flight-calls";
import type { ProtocolSession } from "./protocol-session";
import { detailsText, INVALID_PARAMS, refuseLongText } from "./question-limits";

const REJECTED_BY_USER = -1;
const TOO_MANY = -32_000;

/** Lets a person, or who called the tool, answer what the server asks. */
export function answerServerRequests(session: ProtocolSession, desk: InteractionDesk): void {
  const { client } = session;
  client.setRequestHandler("roots/list", () => ({ roots: rootsOf(session) }));
  client.setRequestHandler("elicitation/create", async ({ params }, { mcpReq }) => {
    const answer = await elicit(session, desk, params, session.callBehind(mcpReq.id), mcpReq.signal);
    return answer as { action: "accept" | "decline" | "cancel" };
  });
  client.setRequestHandler("sampling/createMessage", ({ params }, { mcpReq }) =>
    sample(session, desk, params, session.callBehind(mcpReq.id), mcpReq.signal),
  );
}

/**
 * Answers one request that came inside an `input_required` result, so that it is known which call it belongs to.
 * @throws ProtocolError when it is not one that a server may ask, or was rejected
 */
export function answerInputRequest(
  session: ProtocolSession,
  request: unknown,
  call: InFlightCall,
  signal: AbortSignal,
): Promise<Record<string, unknown>> | Record<string, unknown> {
  const { method, params } = isPlainObject(request) ? request : {};
  const desk = session.options.interactions;
  switch (method) {
    case "roots/list":
      return { roots: rootsOf(session) };
    case "elicitation/create":
      return elicit(session, desk, params, call, signal);
    case "sampling/createMessage":
      return sample(session, desk, params, call, signal);
    default:
      throw new ProtocolError(INVALID_PARAMS, `The server asks for '${String(method)}', which no client answers`);
  }
}

function rootsOf(session: ProtocolSession): { uri: string; name?: string }[] {
  return session.settings.roots.map(({ uri, name }) => (name === undefined ? { uri } : { uri, name }));
}

async function elicit(
  session: ProtocolSession,
  desk: InteractionDesk,
  params: unknown,
  call: InFlightCall | null,
  signal: AbortSignal,
): Promise<Record<string, unknown>> {
  const request = elicitationOf(params);
  const answer = await ask(session, desk, request, call, signal);
  if (answer.action !== "accept") return { action: answer.action };
  if (request.kind === "url") return { action: "accept" };
  const content = answer.content ?? {};
  const fault = request.kind === "form" ? findFormFault(request.schema, content) : null;
  if (fault !== null) {
    const message = `The answer does not fit what the server asked for: ${fault}`;
    session.log.add("toolroom", "warn", message);
    throw new ProtocolError(INVALID_PARAMS, message);
  }
  return { action: "accept", content };
}

function elicitationOf(params: unknown): InteractionRequest {
  const given = isPlainObject(params) ? params : {};
  const message = typeof given.message === "string" ? given.message : "";
  refuseLongText("message", message);
  if (given.mode === "url") {
    if (typeof given.url !== "string")
      throw new ProtocolError(INVALID_PARAMS, "A request with mode 'url' needs a 'url'");
    refuseLongText("url", given.url);
    return { kind: "url", message, url: given.url };
  }
  if (!isPlainObject(given.requestedSchema)) {
    throw new ProtocolError(INVALID_PARAMS, "A request for input needs a 'requestedSchema'");
  }
  detailsText("requestedSchema", given.requestedSchema);
  return { kind: "form", message, schema: given.requestedSchema as JsonSchema };
}

async function sample(
  session: ProtocolSession,
  desk: InteractionDesk,
  params: unknown,
  call: InFlightCall | null,
  signal: AbortSignal,
): Promise<{ role: "assistant"; content: { type: "text"; text: string }; model: string; stopReason: string }> {
  const request: InteractionRequest = {
    kind: "sampling",
    message: `${session.settings.name} asks for a model's answer`,
    paramsText: detailsText("params", params ?? {}),
  };
  const answer = await ask(session, desk, request, call, signal);
  if (answer.action !== "accept") throw new ProtocolError(REJECTED_BY_USER, "User rejected sampling request");
  return {
    role: "assistant",
    content: { type: "text", text: answer.text ?? "" },
    model: answer.model ?? "human",
    stopReason: "endTurn",
  };
}

/** Asks the caller first, then the console. Nobody's answer in time is as good as a cancel. */
async function ask(
  session: ProtocolSession,
  desk: InteractionDesk,
  request: InteractionRequest,
  call: InFlightCall | null,
  requestSignal: AbortSignal,
): Promise<InteractionAnswer> {
  const signal = call === null ? requestSignal : AbortSignal.any([requestSignal, call.ended]);
  if (signal.aborted) return { action: "cancel" };
  const answered = beginQuestion(session);
  const context = call?.context;
  // Whose question it is may not be known; then any of the calls may be the one that waits.
  const releases = Array.from(call === null ? session.calls : [call], (waiting) => waiting.context.hold());
  try {
    const given = (await untilAborted(context?.interact?.(request, signal), signal)) ?? null;
    if (given !== null) return given;
    const question = {
      server: session.settings.name,
      executionId: context?.executionId ?? null,
      toolName: context?.toolName ?? null,
      request,
    };
    return await untilAborted(desk.ask(question, signal), signal);
  } catch (error) {
    if (signal.aborted) return { action: "cancel" };
    session.log.add("toolroom", "error", `A question of the server could not be put to anybody: ${String(error)}`);
    throw error;
  } finally {
    for (const release of releases) release();
    answered();
  }
}

/** @throws ProtocolError when too many questions of this server wait already */
function beginQuestion(session: ProtocolSession): () => void {
  const answered = session.options.questions.begin(() =>
    session.log.add("toolroom", "warn", "The server asks more than a person can look through: the rest is refused"),
  );
  if (answered === null) throw new ProtocolError(TOO_MANY, "Too many questions wait for an answer: ask again later");
  return answered;
}

/** Who was asked may not listen to the signal. */
async function untilAborted<Value>(asked: Value | Promise<Value>, signal: AbortSignal): Promise<Value> {
  let stop: (() => void) | undefined;
  const aborted = new Promise<never>((_, reject) => {
    stop = () => reject(signal.reason);
    signal.addEventListener("abort", stop, { once: true });
  });
  try {
    return await Promise.race([asked, aborted]);
  } finally {
    if (stop !== undefined) signal.removeEventListener("abort", stop);
  }
}
