import {
  type ChatMessage,
  type ChatOptions,
  type ChatTool,
  type FunctionCallContent,
  type FunctionResultContent,
  listCalls,
  readMessageText,
} from "../../../../lib/contract";
import { describeResults } from "./describe-results";
import { fillArguments } from "./fill-arguments";
import { introduce, notUnderstood, WHO_I_AM } from "./introduce";
import { type Literal, maskLiterals, unmask } from "./literals";
import { longText } from "./long-text";
import { matchTool } from "./match-tool";
import { splitRequest } from "./split-request";

export interface DemoTurn {
  text: string;
  calls: FunctionCallContent[];
}

interface Conversation {
  request: string;
  /** How many answers with calls there are since the request. */
  step: number;
  /** Of the newest answer with calls. */
  results: FunctionResultContent[];
  /** All calls so far, by id. */
  calls: Map<string, FunctionCallContent>;
}

/** A longer request is cut off. */
const MAX_REQUEST_CHARS = 8_000;

/** The demo model's next answer: the same for the same messages and options. */
export function planTurn(messages: readonly ChatMessage[], options: ChatOptions): DemoTurn {
  const conversation = readConversation(messages);
  const { request, step } = conversation;
  const tools = options.tools ?? [];
  const choice = options.toolChoice ?? "auto";
  const offered = typeof choice === "object" ? tools.filter(({ name }) => name === choice.name) : tools;
  const { text: masked, literals } = maskLiterals(removeQuotation(request).slice(0, MAX_REQUEST_CHARS));
  const steps = splitRequest(masked, (piece) => matchTool(piece, offered) !== null);
  const said = step === 0 ? "" : describeResults(conversation.results, conversation.calls);
  if (choice === "none")
    return { text: answerWithoutTools(said, steps.slice(step).flat(), request, offered), calls: [] };
  const forced = choice !== "auto" && step === 0 ? offered[0] : undefined;
  const turn = callTools(steps[step] ?? [], offered, forced, literals, conversation.calls.size);
  if (turn !== null) return { calls: turn.calls, text: [said, turn.text].filter(Boolean).join("\n\n") };
  return { text: said || explainNoMatch(request, tools), calls: [] };
}

function readConversation(messages: readonly ChatMessage[]): Conversation {
  const asked = messages.findLastIndex((message) => message.role === "user" && readMessageText(message).trim() !== "");
  const question = messages[asked];
  const since = messages.slice(asked + 1);
  const answers = since.filter((message) => message.role === "assistant" && listCalls(message).length > 0);
  const newest = new Set(answers.slice(-1).flatMap((message) => listCalls(message).map(({ callId }) => callId)));
  const results = since
    .flatMap(({ contents }) => contents)
    .filter((content): content is FunctionResultContent => content.type === "function_result");
  return {
    request: question === undefined ? "" : readMessageText(question),
    step: answers.length,
    results: results.filter(({ callId }) => newest.has(callId)),
    calls: new Map(messages.flatMap(listCalls).map((call) => [call.callId, call])),
  };
}

/** Null where no request names a tool. @param forced called where none is named */
function callTools(
  requests: readonly string[],
  tools: readonly ChatTool[],
  forced: ChatTool | undefined,
  literals: readonly Literal[],
  callsBefore: number,
): DemoTurn | null {
  const matches = requests.flatMap((request) => matchTool(request, tools) ?? []);
  const unknown = requests.filter((request) => matchTool(request, tools) === null);
  if (matches.length === 0 && forced !== undefined) matches.push({ tool: forced, rest: "", parameter: null });
  if (matches.length === 0) return null;
  const filled = matches.map((match) => ({ name: match.tool.name, ...fillArguments(match, literals) }));
  const sentences = [
    `Calling ${filled.map(({ name }) => `\`${name}\``).join(", ")}.`,
    ...new Set(filled.filter(({ invented }) => invented.length > 0).map(describeInvented)),
    ...(unknown.length > 0 && forced === undefined
      ? [notUnderstood(unknown.map((request) => unmask(request, literals)))]
      : []),
  ];
  const calls = filled.map(({ name, text }, at): FunctionCallContent => {
    return { type: "function_call", callId: `demo_${callsBefore + at + 1}`, name, arguments: text };
  });
  return { text: sentences.join(" "), calls };
}

function describeInvented({ name, invented }: { name: string; invented: string[] }): string {
  const names = invented.map((parameter) => `\`${parameter}\``).join(", ");
  return `You gave no ${names} for \`${name}\`: I took what its schema suggests.`;
}

function explainNoMatch(request: string, tools: readonly ChatTool[]): string {
  const long = longText(request);
  if (long !== null) return long;
  if (request.trim() === "" || tools.length === 0) return introduce(tools);
  return `${introduce(tools)}\n\n${notUnderstood([request])}`;
}

function answerWithoutTools(
  said: string,
  requests: readonly string[],
  request: string,
  tools: readonly ChatTool[],
): string {
  const off = "Tools are off for this answer";
  const names = new Set(requests.flatMap((piece) => matchTool(piece, tools)?.tool.name ?? []));
  if (names.size === 0) return said || longText(request) || `${WHO_I_AM} ${off}.`;
  const wanted = [...names].map((name) => `\`${name}\``).join(", ");
  return [said, `${off}, so I did not call ${wanted}.`].filter(Boolean).join("\n\n");
}

/** Lines that begin with `> ` are quotations; a line that ends with a colon introduces the next one. */
function removeQuotation(request: string): string {
  const lines = request.split("\n");
  if (!lines.some((line) => line.startsWith("> "))) return request;
  return lines.filter((line) => !line.startsWith("> ") && !line.trimEnd().endsWith(":")).join("\n");
}
