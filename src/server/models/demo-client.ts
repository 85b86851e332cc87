import {
  type ChatMessage,
  type ChatOptions,
  type ChatResponse,
  type ChatResponseUpdate,
  type ChatTool,
  type FunctionCallContent,
  type FunctionResultContent,
  formatArguments,
  listCalls,
  readMessageText,
} from "../../lib/contract/chat";
import type { ModelConnection } from "../engine/agent/chat-ports";
import { fillArguments } from "./demo/fill-arguments";
import { declineRequest, introduce, notUnderstood, WHO_I_AM } from "./demo/introduce";
import { type Literal, maskLiterals, unmask } from "./demo/literals";
import { matchTool, type ToolMatch } from "./demo/match-tool";
import { pause, throwIfAborted } from "./with-retries";

const MODEL = "demo";
const WORD_DELAY_MS = 15;
const DELTA_CHARS = 24;

/**
 * A model without key and network: rules that find the tools for a plain request. Its answers say that it is not a real
 * model, and are the same for the same messages.
 */
export class DemoClient implements ModelConnection {
  readonly #wordDelayMs: number;

  constructor({ wordDelayMs = WORD_DELAY_MS }: { wordDelayMs?: number } = {}) {
    this.#wordDelayMs = wordDelayMs;
  }

  acceptsMedia(): boolean {
    return false;
  }

  async listModels(signal?: AbortSignal): Promise<string[]> {
    throwIfAborted(signal);
    return [MODEL];
  }

  async getResponse(messages: readonly ChatMessage[], options: ChatOptions = {}): Promise<ChatResponse> {
    throwIfAborted(options.signal);
    return toResponse(planTurn(messages, options));
  }

  async *getStreamingResponse(
    messages: readonly ChatMessage[],
    options: ChatOptions = {},
  ): AsyncGenerator<ChatResponseUpdate> {
    const { signal } = options;
    throwIfAborted(signal);
    const turn = planTurn(messages, options);
    for (const text of inWords(turn.text)) {
      if (this.#wordDelayMs > 0) await pause(this.#wordDelayMs, signal);
      throwIfAborted(signal);
      yield { type: "text", text };
    }
    for (const { callId, name, arguments: given } of turn.calls) {
      const written = String(given);
      for (let at = 0; at < written.length; at += DELTA_CHARS) {
        throwIfAborted(signal);
        yield { type: "call_delta", callId, name, argumentsDelta: written.slice(at, at + DELTA_CHARS) };
      }
    }
    throwIfAborted(signal);
    yield { type: "response", response: toResponse(turn) };
  }
}

function toResponse({ text, calls }: DemoTurn): ChatResponse {
  return {
    messages: [{ role: "assistant", contents: [...(text === "" ? [] : [{ type: "text" as const, text }]), ...calls] }],
    finishReason: calls.length > 0 ? "tool_calls" : "stop",
    model: MODEL,
  };
}

/** The pieces joined are the text. */
export const inWords = (text: string): string[] => text.match(/\s*\S+\s?|\s+/g) ?? [];

const MAX_TEXT_CHARS = 400;
const MAX_VALUE_CHARS = 80;
const PLAIN = /^(?:-?\d[\d.eE+-]*|true|false|null)$/;

interface DemoTurn {
  text: string;
  calls: FunctionCallContent[];
}

interface Conversation {
  request: string;
  /** The results of the answer with calls, once there is one. */
  results: FunctionResultContent[] | null;
  /** All calls so far, by id. */
  calls: Map<string, FunctionCallContent>;
}

/** A longer request is cut off. */
const MAX_REQUEST_CHARS = 8_000;
const GREETING = /^\s*(?:(?:hello|hi|hey|help|what can you do|who are you)\b[^\n]{0,40})?\s*$/i;

/** The demo model's next answer: the same for the same messages and options. */
export function planTurn(messages: readonly ChatMessage[], options: ChatOptions): DemoTurn {
  const conversation = readConversation(messages);
  const { results, calls } = conversation;
  const request = removeQuotation(conversation.request);
  const tools = options.tools ?? [];
  const choice = options.toolChoice ?? "auto";
  const offered = typeof choice === "object" ? tools.filter(({ name }) => name === choice.name) : tools;
  const { text: masked, literals } = maskLiterals(request.slice(0, MAX_REQUEST_CHARS));
  const requests = splitRequest(masked, (piece) => matchTool(piece, offered) !== null);
  if (results !== null) return { text: describeResults(results, calls), calls: [] };
  if (choice === "none") return { text: answerWithoutTools(requests, request, offered), calls: [] };
  const forced = choice === "auto" ? undefined : offered[0];
  const turn = callTools(requests, { tools: offered, forced, literals, callsBefore: calls.size });
  return turn.calls.length > 0 || turn.text !== "" ? turn : { text: explainNoMatch(request, tools), calls: [] };
}

function readConversation(messages: readonly ChatMessage[]): Conversation {
  const asked = messages.findLastIndex((message) => message.role === "user" && readMessageText(message).trim() !== "");
  const question = messages[asked];
  const since = messages.slice(asked + 1);
  const isAnswered = since.some((message) => message.role === "assistant" && listCalls(message).length > 0);
  const results = since
    .flatMap(({ contents }) => contents)
    .filter((content): content is FunctionResultContent => content.type === "function_result");
  return {
    request: question === undefined ? "" : readMessageText(question),
    results: isAnswered ? results : null,
    calls: new Map(messages.flatMap(listCalls).map((call) => [call.callId, call])),
  };
}

interface StepContext {
  tools: readonly ChatTool[];
  /** Called when no request names a tool. */
  forced: ChatTool | undefined;
  literals: readonly Literal[];
  callsBefore: number;
}

/** The calls of requests; empty where they name no tool. */
function callTools(requests: readonly string[], { tools, forced, literals, callsBefore }: StepContext): DemoTurn {
  const calls: { name: string; text: string }[] = [];
  const sentences = new Set<string>();
  const unknown: string[] = [];
  const add = (match: ToolMatch): void => {
    const { text, invented } = fillArguments(match, literals);
    calls.push({ name: match.tool.name, text });
    if (invented.length > 0) sentences.add(describeInvented(match.tool.name, invented));
  };
  for (const request of requests) {
    const match = matchTool(request, tools);
    if (match === null) unknown.push(unmask(request, literals));
    else add(match);
  }
  if (calls.length === 0 && forced !== undefined) add({ tool: forced, rest: "", parameter: null });
  else if (calls.length > 0 && unknown.length > 0) sentences.add(notUnderstood(unknown));
  return {
    text: [...sentences].join(" "),
    calls: calls.map(({ name, text }, at) => {
      return { type: "function_call", callId: `demo_${callsBefore + at + 1}`, name, arguments: text };
    }),
  };
}

function describeInvented(name: string, invented: readonly string[]): string {
  const names = invented.map((parameter) => `\`${parameter}\``).join(", ");
  return `No ${names} given for \`${name}\`: using sample values.`;
}

function explainNoMatch(request: string, tools: readonly ChatTool[]): string {
  const long = longText(request);
  if (long !== null) return long;
  return tools.length === 0 || GREETING.test(request) ? introduce(tools) : declineRequest(request, tools);
}

function answerWithoutTools(requests: readonly string[], request: string, tools: readonly ChatTool[]): string {
  const off = "Tools are off for this answer";
  const names = new Set(requests.flatMap((piece) => matchTool(piece, tools)?.tool.name ?? []));
  if (names.size === 0) return longText(request) ?? `${WHO_I_AM} ${off}.`;
  const wanted = [...names].map((name) => `\`${name}\``).join(", ");
  return `${off}, so ${wanted} did not run.`;
}

/** Lines that begin with `> ` are quotations; a line that ends with a colon introduces the next one. */
function removeQuotation(request: string): string {
  const lines = request.split("\n");
  if (!lines.some((line) => line.startsWith("> "))) return request;
  return lines.filter((line) => !line.startsWith("> ") && !line.trimEnd().endsWith(":")).join("\n");
}

const REQUEST = /\bwrite a long (?:story|text)\b/i;
const PARAGRAPHS = 16;
const PARAGRAPH = [
  "A run records each message, call and result in an append-only log.",
  "Stopping a run cancels its calls and stores the text received so far.",
  "A stopped run can be continued with another message or rerun from any step.",
  "After a restart of the server, an interrupted run resumes from its log.",
].join(" ");

/** A text that takes a quarter of a minute to stream, so that stopping can be tried; null when none was requested. */
function longText(request: string): string | null {
  if (!REQUEST.test(request)) return null;
  const paragraphs = Array.from({ length: PARAGRAPHS }, (_, at) => `${at + 1}. ${PARAGRAPH}`);
  const intro = "The demo model cannot write a story. This sample text is long enough to try stopping a run.";
  return [intro, ...paragraphs, "End of the sample text."].join("\n\n");
}

const NEXT_REQUEST = /\n|; ?/;
const PERHAPS_NEXT = /(,? and |, )/;
const MAX_REQUESTS = 20;
/** Each piece is compared with every tool. */
const MAX_PIECES = 60;

/**
 * The requests of one turn.
 * @param masked the request, its literals masked
 * @param isRequest whether a piece after "and" or a comma is a request of its own
 */
function splitRequest(masked: string, isRequest: (text: string) => boolean): string[] {
  return masked
    .split(NEXT_REQUEST, MAX_REQUESTS)
    .flatMap((line) => splitLine(line, isRequest))
    .slice(0, MAX_REQUESTS);
}

function splitLine(line: string, isRequest: (text: string) => boolean): string[] {
  const requests = [""];
  // Separators are at odd positions.
  for (const [at, part] of line.split(PERHAPS_NEXT).entries()) {
    const separate = at > 0 && at % 2 === 0 && at / 2 <= MAX_PIECES && isRequest(part);
    if (separate) requests.push(part);
    else requests[requests.length - 1] += part;
  }
  return requests
    .map((request) => request.replace(/(?:,? and|,) ?$/, "").trim())
    .filter((request) => /[\p{L}\p{N}\uE000]/u.test(request));
}

/** Writes a sentence for each result. */
function describeResults(
  results: readonly FunctionResultContent[],
  calls: ReadonlyMap<string, FunctionCallContent>,
): string {
  if (results.length === 1) return results.map((result) => describeResult(result, "")).join("");
  return results.map((result) => `- ${describeResult(result, describeArguments(calls.get(result.callId)))}`).join("\n");
}

function describeResult({ name, result, exception, items = [] }: FunctionResultContent, given: string): string {
  const tool = `\`${name}\`${given}`;
  if (exception === undefined) {
    const media = items.flatMap((item) => (item.type === "media" ? [item.kind] : []));
    return `${tool} returned ${describeText(result ?? "")}${media.length === 0 ? "" : ` (with ${media.join(", ")})`}`;
  }
  const message = shorten(exception.message, MAX_TEXT_CHARS);
  switch (exception.kind) {
    case "rejected":
      return `${tool} was rejected. ${message}`;
    case "approval_expired":
      return `${tool} did not run: the approval expired. ${message}`;
    case "cancelled":
    case "interrupted":
      return `${tool} was stopped: ${message}`;
    default:
      return `${tool} failed: ${message}`;
  }
}

function describeArguments(call: FunctionCallContent | undefined): string {
  if (call === undefined) return "";
  const text = formatArguments(call);
  return text === "{}" || text.includes("`") ? "" : ` with \`${shorten(text, MAX_VALUE_CHARS)}\``;
}

function describeText(text: string): string {
  const short = shorten(text, MAX_TEXT_CHARS);
  if (short === "") return "nothing.";
  if (PLAIN.test(short)) return `${short}.`;
  return short.includes("`") ? `“${short}”` : `\`${short}\`.`;
}

function shorten(text: string, maxChars: number): string {
  const line = text.replace(/\s+/g, " ").trim();
  return line.length > maxChars ? `${line.slice(0, maxChars)}…` : line;
}
