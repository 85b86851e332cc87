import { type ClientContext, ProtocolError, ProtocolErrorCode } from "@modelcontextprotocol/client";
import type { InteractionAnswer, InteractionRequest } from "../../../../lib/contract/interaction";
import { isPlainObject, type JsonSchema } from "../../../../lib/contract/json";
import { isForeignMethod, listRelayedExtensions } from "../../../../lib/mcp-extensions";
import { relatedTask } from "../../../../lib/mcp-tasks";
import type { SamplingRequest, SamplingResponse, ServerQuestion } from "../../../engine/mcp-ports";
import { declaresSampling } from "../session/client-capabilities";
import type { ProtocolSession } from "../session/protocol-session";
import type { RunningToolCall } from "../session/running-tool-calls";
import { abortable } from "../wait";
import { askDuringCall, type Caller, findCaller, type RequestOrigin } from "./ask-during-call";
import { assertTextSize, findFormProblem, INVALID_PARAMS, stringifyDetails } from "./check-request";

const REJECTED_BY_USER = -1;
/** Named with a question; a session may have any number of calls. */
const MAX_CANDIDATES = 20;

type ElicitResult = { action: "accept" | "decline" | "cancel"; content?: Record<string, unknown> };

/** Answers the requests that a server sends outside of its responses. */
export function handleServerRequests(session: ProtocolSession): void {
  const { client } = session;
  const getOrigin = ({
    id,
    signal,
    _meta,
  }: Pick<ClientContext["mcpReq"], "id" | "signal" | "_meta">): RequestOrigin => ({
    session,
    call: session.calls.findByTask(relatedTask({ _meta })) ?? session.findCallOfRequest(id),
    signal,
  });
  client.setRequestHandler("roots/list", async (_, { mcpReq }) => ({ roots: await listRoots(getOrigin(mcpReq)) }));
  client.setRequestHandler("elicitation/create", async ({ params }, { mcpReq }) => {
    const result = await elicit(params, getOrigin(mcpReq));
    if (result.content !== undefined) session.transport.noteContent(mcpReq.id, result.content);
    return result as { action: ElicitResult["action"] };
  });
  if (declaresSampling(session.settings)) {
    client.setRequestHandler("sampling/createMessage", ({ params }, { mcpReq }) => sample(params, getOrigin(mcpReq)));
  }
  client.fallbackRequestHandler = async ({ method, params }, { mcpReq }) => {
    // The SDK takes no handler for a capability that is not declared; a server may still ask.
    if (method === "sampling/createMessage") return await sample(params, getOrigin(mcpReq));
    return await relayForeign(method, params, getOrigin(mcpReq));
  };
}

/**
 * Relays a request of an extension to the caller whose call is running, where it knows one that the server declares.
 * @throws ProtocolError when the caller does not declare it, or is not known
 */
async function relayForeign(method: string, params: unknown, origin: RequestOrigin): Promise<Record<string, unknown>> {
  const extensions = listRelayedExtensions(origin.session.capabilities);
  const notFound = new ProtocolError(ProtocolErrorCode.MethodNotFound, "Method not found");
  if (!isForeignMethod(method) || extensions.length === 0) throw notFound;
  stringifyDetails("params", params ?? {});
  const { interact } = findCaller(origin);
  if (interact === undefined) throw notFound;
  const request = { kind: "foreign" as const, method, params: isPlainObject(params) ? params : {}, extensions };
  const answer = await askDuringCall(origin, (signal) => abortable(interact(request, signal), signal));
  if (answer?.action !== "accept") throw notFound;
  return answer.content ?? {};
}

/**
 * Answers one request inside an `input_required` result.
 * @throws ProtocolError when the server may not ask for this, or the user rejected it
 */
export async function answerInputRequest(request: unknown, origin: RequestOrigin): Promise<Record<string, unknown>> {
  const { method, params } = isPlainObject(request) ? request : {};
  switch (method) {
    case "roots/list":
      return { roots: await listRoots(origin) };
    case "elicitation/create":
      return await elicit(params, origin);
    case "sampling/createMessage":
      return await sample(params, origin);
    default:
      throw new ProtocolError(
        INVALID_PARAMS,
        `The server asks for '${String(method)}', which Toolroom does not support`,
      );
  }
}

async function elicit(params: unknown, origin: RequestOrigin): Promise<ElicitResult> {
  const request = parseElicitation(params);
  const answer = await requestInput(request, origin);
  if (answer.action !== "accept") return { action: answer.action };
  if (request.kind === "url") return { action: "accept" };
  const content = answer.content ?? {};
  const problem = request.kind === "form" ? findFormProblem(request.schema, content) : null;
  if (problem !== null) {
    const message = `The response does not match the requested form: ${problem}`;
    origin.session.log.add("toolroom", "warn", message);
    throw new ProtocolError(INVALID_PARAMS, message);
  }
  return { action: "accept", content };
}

function parseElicitation(params: unknown): InteractionRequest {
  const { message: text, mode, url, requestedSchema } = isPlainObject(params) ? params : {};
  const message = typeof text === "string" ? text : "";
  assertTextSize("message", message);
  if (mode === "url") {
    if (typeof url !== "string") throw new ProtocolError(INVALID_PARAMS, "A request with mode 'url' needs a 'url'");
    assertTextSize("url", url);
    return { kind: "url", message, url };
  }
  if (!isPlainObject(requestedSchema)) {
    throw new ProtocolError(INVALID_PARAMS, "A request for input needs a 'requestedSchema'");
  }
  stringifyDetails("requestedSchema", requestedSchema);
  return { kind: "form", message, schema: requestedSchema as JsonSchema };
}

type SamplingResult = {
  role: "assistant" | "user";
  content: { type: "text"; text: string };
  model: string;
  stopReason?: string;
};

async function sample(params: unknown, origin: RequestOrigin): Promise<SamplingResult> {
  const { name, sampling } = origin.session.settings;
  const paramsText = stringifyDetails("params", params ?? {});
  if (sampling !== undefined && sampling.mode !== "ask") return await answerSampling(sampling, paramsText, origin);
  const request: InteractionRequest = {
    kind: "sampling",
    message: `${name} requests a model response`,
    paramsText,
  };
  const answer = await requestInput(request, origin);
  if (answer.action !== "accept") throw new ProtocolError(REJECTED_BY_USER, "User rejected sampling request");
  const text = { type: "text" as const, text: answer.text ?? "" };
  const { content, role, model, stopReason } = answer.content ?? {};
  // A caller answers with its model's content, as several blocks only where the request allows tools. A user writes text.
  const hasContent =
    isPlainObject(content) || (Array.isArray(content) && isPlainObject(params) && params.tools !== undefined);
  const result: SamplingResult = {
    role: role === "user" ? "user" : "assistant",
    content: hasContent ? (content as typeof text) : text,
    model: answer.model ?? (typeof model === "string" ? model : "human"),
  };
  if (typeof stopReason === "string") result.stopReason = stopReason;
  return result;
}

/**
 * Asks the caller first, then the console: always for calls that users make there, for those of programs only where the
 * settings say so and a page is open that can answer. Answers `cancel` when the call ends first.
 * @throws ProtocolError when neither the caller nor a page can answer
 */
async function requestInput(request: InteractionRequest, origin: RequestOrigin): Promise<InteractionAnswer> {
  const { candidates } = findCaller(origin);
  noteAsked(request.kind, origin, candidates);
  const answer = await askForInput(request, origin);
  // With several calls it is unknown which one asked.
  if (candidates.length === 1) candidates[0]?.context.addEvent?.({ ask: request, answer });
  return answer;
}

/** With several calls it is unknown which one asked. */
function noteAsked(
  kind: InteractionRequest["kind"],
  { session }: RequestOrigin,
  calls: readonly RunningToolCall[],
): void {
  const [only] = calls;
  if (only === undefined || calls.length > 1) return;
  session.options.onAsked?.({ server: session.settings.name, tool: only.context.toolName, kind });
}

async function askForInput(request: InteractionRequest, origin: RequestOrigin): Promise<InteractionAnswer> {
  const { session, call, key } = origin;
  if (origin.signal.aborted || call?.ended.aborted) return { action: "cancel" };
  const caller = findCaller(origin);
  return askDuringCall(origin, async (signal) => {
    try {
      const answer = await abortable(caller.interact?.(request, signal, key), signal);
      if (answer != null) return answer;
      if (caller.isProgram && session.settings.askPeople !== true) throw unanswerable(origin, request, ASK_PEOPLE_OFF);
      const question = { server: session.settings.name, request, ...describeCalls(caller) };
      return await abortable(session.options.interactions.ask(question, signal), signal);
    } catch (error) {
      if (signal.aborted) return { action: "cancel" };
      const { name } = error as { name?: unknown };
      if (name === "ProtocolError") throw error;
      if (name === "NoViewer") throw unanswerable(origin, request, "and no page of the console is open that can");
      session.log.add("toolroom", "error", `A request of the server could not be shown: ${String(error)}`);
      throw error;
    }
  });
}

const ASK_PEOPLE_OFF = "and the server's settings do not let people in the console answer (askPeople)";
const REQUEST_WORDS = { form: "for input", url: "to open a page", sampling: "for a model response" };

function unanswerable({ session }: RequestOrigin, { kind }: InteractionRequest, reason: string): ProtocolError {
  const message = `The request ${REQUEST_WORDS[kind]} was refused: the client that made the call cannot answer it, ${reason}`;
  session.log.add("toolroom", "warn", message);
  return new ProtocolError(ProtocolErrorCode.MethodNotFound, message);
}

function describeCalls({ candidates, isProgram }: Caller): Omit<ServerQuestion, "server" | "request"> {
  const calls = candidates.map(({ context: { executionId, toolName } }) => ({ executionId, toolName }));
  const [only] = calls;
  return {
    ...(calls.length === 1 && only !== undefined ? only : { executionId: null, toolName: null }),
    ...(calls.length > 1 ? { candidates: calls.slice(0, MAX_CANDIDATES) } : {}),
    ...(isProgram ? { needsViewer: true } : {}),
  };
}

type Root = { uri: string; name?: string };

const MAX_ROOTS = 100;
const MAX_TEXT_CHARS = 4096;

/** The folders that a server may work with: those of the caller whose call it runs, or those of the server's settings. */
async function listRoots(origin: RequestOrigin): Promise<Root[]> {
  const { session, key } = origin;
  const configured = session.settings.roots.map(({ uri, name }) => toRoot(uri, name));
  const { interact } = findCaller(origin);
  if (interact === undefined) return configured;
  return askDuringCall(origin, async (signal) => {
    try {
      const answer = await abortable(interact({ kind: "roots" }, signal, key), signal);
      return answer?.action === "accept" ? readRoots(answer.content?.roots) : configured;
    } catch (error) {
      if (!signal.aborted)
        session.log.add("toolroom", "warn", `The caller's roots could not be read: ${String(error)}`);
      return configured;
    }
  });
}

/** Reads roots leniently: callers may break the schema, and servers may not check it. */
function readRoots(value: unknown): Root[] {
  if (!Array.isArray(value)) return [];
  return value.slice(0, MAX_ROOTS).flatMap((root: unknown) => {
    if (!isPlainObject(root) || typeof root.uri !== "string") return [];
    if (!root.uri.startsWith("file://") || root.uri.length > MAX_TEXT_CHARS) return [];
    return [toRoot(root.uri, typeof root.name === "string" ? root.name.slice(0, MAX_TEXT_CHARS) : undefined)];
  });
}

function toRoot(uri: string, name: string | undefined): Root {
  return name === undefined ? { uri } : { uri, name };
}

const INVALID_REQUEST = -32_600;

/**
 * Answers a sampling request as the server's settings say, without asking the caller or a user.
 * @throws ProtocolError for the server
 */
async function answerSampling(
  setting: SamplingRequest["setting"],
  paramsText: string,
  origin: RequestOrigin,
): Promise<SamplingResponse> {
  const { session } = origin;
  noteAsked("sampling", origin, findCaller(origin).candidates);
  const call = origin.call ?? findLeastCharged(session.calls);
  if (call === null) {
    throw new ProtocolError(INVALID_REQUEST, "Sampling requests are answered only while a tool call runs");
  }
  call.samplingRequests += 1;
  const { executionId, logger, actor, source } = call.context;
  const server = session.settings.name;
  const request = { executionId, server, actor, source, logger, count: call.samplingRequests, setting, paramsText };
  const calls = [...session.calls];
  try {
    return await askDuringCall(origin, async (askSignal) => {
      const signal = origin.call === null ? AbortSignal.any([askSignal, whenAllEnded(calls)]) : askSignal;
      const response = await abortable(session.options.sampling.respond(request, signal), signal);
      const { model, content } = response;
      call.context.addEvent?.({
        ask: { kind: "sampling", message: "", paramsText },
        answer: { action: "accept", content: { ...response }, text: content.text, model },
      });
      return response;
    });
  } catch (error) {
    const { name, code, message } = error as { name?: unknown; code?: unknown; message?: unknown };
    if (name === "SamplingFailure") throw new ProtocolError(Number(code), String(message));
    throw error;
  }
}

/** A server that does not name the call: each of them may have as many requests. */
function findLeastCharged(calls: Iterable<RunningToolCall>): RunningToolCall | null {
  const [first, ...others] = calls;
  if (first === undefined) return null;
  return others.reduce((least, call) => (call.samplingRequests < least.samplingRequests ? call : least), first);
}

/** Aborts when each of the calls, any of which may wait, has ended. */
function whenAllEnded(calls: Iterable<RunningToolCall>): AbortSignal {
  const controller = new AbortController();
  const ends = Array.from(calls, ({ ended }) => new Promise((resolve) => ended.addEventListener("abort", resolve)));
  void Promise.all(ends).then(() => controller.abort("the calls ended"));
  return controller.signal;
}
