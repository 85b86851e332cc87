import {
  type ChatMessage,
  type ChatOptions,
  type ChatTool,
  callsOf,
  type FunctionCallContent,
  type FunctionResultContent,
  textOfMessage,
} from "../../../../lib/contract";
import { describeResults } from "./describe-results";
import { fillArguments } from "./fill-arguments";
import { introduction, isGreeting, notUnderstood, WHO_I_AM } from "./introduce";
import { type Literal, maskLiterals, unmask } from "./literals";
import { longText } from "./long-text";
import { matchTool, type ToolMatch } from "./match-tool";
import { type Steps, splitRequest } from "./split-request";

export interface DemoTurn {
  text: string;
  calls: FunctionCallContent[];
}

interface Conversation {
  request: string;
  /** Answers with calls since the request: the steps that are done. */
  step: number;
  /** Of the newest answer with calls. */
  results: FunctionResultContent[];
  /** All calls so far, by id. */
  calls: Map<string, FunctionCallContent>;
}

/** What follows in a longer request is not looked at. */
const MAX_REQUEST_CHARS = 8_000;

/** What the demo model says next: the same for the same messages and options. */
export function planTurn(messages: readonly ChatMessage[], options: ChatOptions): DemoTurn {
  const conversation = readConversation(messages);
  const tools = options.tools ?? [];
  const choice = options.toolChoice ?? "auto";
  const { text: masked, literals } = maskLiterals(withoutQuotation(conversation.request).slice(0, MAX_REQUEST_CHARS));
  const named = typeof choice === "object" ? tools.filter(({ name }) => name === choice.name) : tools;
  const steps = splitRequest(masked, (piece) => matchTool(piece, named)?.strong ?? false);
  const said = conversation.step === 0 ? "" : describeResults(conversation.results, conversation.calls);
  if (choice === "none") return { text: withoutTools(said, steps, conversation, named, literals), calls: [] };
  const forced = choice !== "auto" && conversation.step === 0;
  const turn = nextStep(steps[conversation.step] ?? [], named, literals, conversation, forced);
  if (turn !== null) return { ...turn, text: [said, turn.text].filter(Boolean).join("\n\n") };
  return { text: said || withoutMatch(conversation.request, tools), calls: [] };
}

function readConversation(messages: readonly ChatMessage[]): Conversation {
  const asked = messages.findLastIndex((message) => message.role === "user" && textOfMessage(message).trim() !== "");
  const since = messages.slice(asked + 1);
  const answers = since.filter((message) => message.role === "assistant" && callsOf(message).length > 0);
  const newest = new Set(answers.slice(-1).flatMap((message) => callsOf(message).map(({ callId }) => callId)));
  const results = since
    .flatMap(({ contents }) => contents)
    .filter((content): content is FunctionResultContent => content.type === "function_result");
  return {
    request: asked < 0 ? "" : textOfMessage(messages[asked] ?? { role: "user", contents: [] }),
    step: answers.length,
    results: results.filter(({ callId }) => newest.has(callId)),
    calls: new Map(messages.flatMap(callsOf).map((call) => [call.callId, call])),
  };
}

/** Null where the step asks for no tool. */
function nextStep(
  requests: readonly string[],
  tools: readonly ChatTool[],
  literals: readonly Literal[],
  { calls: before }: Conversation,
  forced: boolean,
): DemoTurn | null {
  const matches = requests.map((request) => ({ request, match: findMatch(request, tools, literals) }));
  const fitting = matches.flatMap(({ match }) => (match === null ? [] : [match]));
  const [first] = tools;
  if (fitting.length === 0 && forced && first !== undefined) {
    fitting.push({ tool: first, by: "name", rest: requests.join(" "), used: new Set(), strong: true });
  }
  if (fitting.length === 0) return null;
  const filled = fitting.map((match) => ({ name: match.tool.name, ...fillArguments(match, literals) }));
  const unknown = matches.flatMap(({ request, match }) => (match === null ? [unmask(request, literals)] : []));
  const sentences = [
    `Calling ${filled.map(({ name }) => `\`${name}\``).join(", ")}.`,
    ...new Set(filled.filter(({ invented }) => invented.length > 0).map(inventedText)),
    ...(unknown.length > 0 && !forced ? [notUnderstood(unknown)] : []),
  ];
  const calls = filled.map(({ name, text }, at) => ({
    type: "function_call" as const,
    callId: `demo_${before.size + at + 1}`,
    name,
    arguments: text,
  }));
  return { text: sentences.join(" "), calls };
}

/** Long texts and greetings are no requests for a tool, unless they name one. */
function findMatch(request: string, tools: readonly ChatTool[], literals: readonly Literal[]): ToolMatch | null {
  const match = matchTool(request, tools);
  if (match === null || match.by === "name") return match;
  const text = unmask(request, literals);
  return longText(text) !== null || isGreeting(text) ? null : match;
}

function inventedText({ name, invented }: { name: string; invented: string[] }): string {
  const names = invented.map((parameter) => `\`${parameter}\``).join(", ");
  return `You gave no ${names} for \`${name}\`: I took what its schema suggests.`;
}

function withoutMatch(request: string, tools: readonly ChatTool[]): string {
  const long = longText(request);
  if (long !== null) return long;
  if (request.trim() === "" || isGreeting(request) || tools.length === 0) return introduction(tools);
  return `${introduction(tools)}\n\n${notUnderstood([request])}`;
}

function withoutTools(
  said: string,
  steps: Steps,
  { request, step }: Conversation,
  tools: readonly ChatTool[],
  literals: readonly Literal[],
): string {
  const left = steps.slice(step).flat();
  const wanted = left.flatMap((piece) => findMatch(piece, tools, literals)?.tool.name ?? []);
  const off = "Tools are off for this answer";
  if (wanted.length > 0) {
    const names = [...new Set(wanted)].map((name) => `\`${name}\``).join(", ");
    return [said, `${off}, so I did not call ${names}.`].filter(Boolean).join("\n\n");
  }
  return said || longText(request) || `${WHO_I_AM} ${off}.`;
}

/** Lines behind `> ` are somebody else's words, and a line that ends with a colon leads to something. */
function withoutQuotation(request: string): string {
  const lines = request.split("\n");
  if (!lines.some((line) => line.startsWith("> "))) return request;
  return lines.filter((line) => !line.startsWith("> ") && !line.trimEnd().endsWith(":")).join("\n");
}
