import type { ChatTool } from "../../../../lib/contract";
import { expressionIn, expressionParameter } from "./expressions";
import { contentStems, isCommonVerb, normalName, ownName, stem, withoutCommands } from "./words";

export interface ToolMatch {
  tool: ChatTool;
  /** `name`: the request has the tool's name; `expression`: something to calculate; `words`: they fit its description. */
  by: "name" | "expression" | "words";
  /** What may be arguments: of a named tool what follows its name. */
  rest: string;
  /** Stems in the request that told which tool it is. */
  used: ReadonlySet<string>;
  /** Good enough to begin a request of its own. */
  strong: boolean;
}

/** What cannot be undone is not guessed: a tool with such a verb in its name is called by a request that has it too. */
const RISKY_VERBS = new Set("delete remove drop push merge destroy kill wipe purge reset send pay".split(" "));
const MAX_DESCRIPTION_CHARS = 600;
const MAX_EXPRESSION_CHARS = 1_000;
/** Somebody means one certain tool. */
const NAME_LIKE = /^[\p{L}\p{N}]+(?:_+[\p{L}\p{N}-]+)+(?![\p{L}\p{N}]|\s*[=:])/u;

/** The tool that a request means; null where none fits. The text has its literals masked. */
export function matchTool(request: string, tools: readonly ChatTool[]): ToolMatch | null {
  return byName(request, tools) ?? byExpression(request, tools) ?? byWords(request, tools);
}

/** What is compared with requests; made once a tool. */
interface ToolIndex {
  patterns: RegExp[];
  /** Letters and digits of its own name: a request without them has no name of it, which is cheaper to see. */
  letters: string;
  /** Stems of its own name and of its description. */
  inName: Set<string>;
  described: Set<string>;
  oneWord: boolean;
  length: number;
}

const indexes = new WeakMap<ChatTool, ToolIndex>();

function indexOf(tool: ChatTool): ToolIndex {
  const known = indexes.get(tool);
  if (known !== undefined) return known;
  const own = normalName(ownName(tool.name));
  const index = {
    letters: lettersOf(ownName(tool.name)),
    patterns: [...new Set([tool.name, ownName(tool.name)])].flatMap((name) => patternOf(name) ?? []),
    inName: new Set(own.split("_").filter(Boolean).map(stem)),
    described: new Set(contentStems(tool.description.slice(0, MAX_DESCRIPTION_CHARS))),
    oneWord: !own.includes("_"),
    length: own.length,
  };
  indexes.set(tool, index);
  return index;
}

/** The name as it is spelled, or its words one after another. */
function patternOf(name: string): RegExp | null {
  const words = normalName(name).split("_").filter(Boolean).map(escapePattern);
  if (words.length === 0) return null;
  const source = `(?<![\\p{L}\\p{N}_])(?:${escapePattern(name)}|${words.join("[\\s_.-]*")})(?![\\p{L}\\p{N}_]|[./-]\\w)`;
  return new RegExp(source, "iu");
}

function byName(request: string, tools: readonly ChatTool[]): ToolMatch | null {
  let best: { tool: ChatTool; rank: number; start: number; end: number } | null = null;
  const letters = lettersOf(request);
  for (const tool of tools) {
    const found = letters.includes(indexOf(tool).letters) ? place(request, tool) : null;
    if (found === null) continue;
    const exact = request.includes(tool.name) ? 2 : request.includes(ownName(tool.name)) ? 1 : 0;
    const rank = exact * 1000 + indexOf(tool).length;
    if (best === null || rank > best.rank) best = { tool, rank, ...found };
  }
  if (best === null) return null;
  const before = withoutCommands(request.slice(0, best.start));
  const after = request.slice(best.end).replace(/^\s*(?:tool\b)?[\s:,]*/, "");
  const rest = after.trim() === "" ? before : after;
  return { tool: best.tool, by: "name", rest, used: new Set(), strong: true };
}

function place(request: string, tool: ChatTool): { start: number; end: number } | null {
  const { patterns, oneWord } = indexOf(tool);
  for (const pattern of patterns) {
    const match = pattern.exec(request);
    if (match === null) continue;
    // A name of one word counts where it is asked for, not inside a sentence about something else.
    if (oneWord && contentStems(withoutCommands(request.slice(0, match.index))).length > 0) continue;
    return { start: match.index, end: match.index + match[0].length };
  }
  return null;
}

function byExpression(request: string, tools: readonly ChatTool[]): ToolMatch | null {
  if (request.length > MAX_EXPRESSION_CHARS) return null;
  const expression = expressionIn(withoutCommands(request));
  if (expression === null) return null;
  const tool = tools.find((candidate) => expressionParameter(candidate) !== null);
  return tool === undefined ? null : { tool, by: "expression", rest: expression, used: new Set(), strong: true };
}

function byWords(request: string, tools: readonly ChatTool[]): ToolMatch | null {
  const asked = [...new Set(contentStems(request))];
  if (asked.length === 0 || NAME_LIKE.test(withoutCommands(request))) return null;
  let best: (ToolMatch & { score: number }) | null = null;
  for (const tool of tools) {
    const { inName, described } = indexOf(tool);
    if ([...inName].some((word) => RISKY_VERBS.has(word) && !asked.includes(word))) continue;
    const named = asked.filter((word) => inName.has(word));
    const telling = named.filter((word) => !isCommonVerb(word));
    const mentioned = asked.filter((word) => !inName.has(word) && described.has(word) && !isCommonVerb(word));
    const enough = telling.length > 0 || mentioned.length >= 2 || mentioned.length * 2 >= asked.length;
    if (!enough || telling.length + mentioned.length === 0) continue;
    const missed = inName.size - named.length;
    const score = telling.length * 6 + (named.length - telling.length) * 2 + mentioned.length * 2 - missed;
    if (best !== null && score <= best.score) continue;
    const used = new Set([...named, ...mentioned]);
    best = { tool, by: "words", rest: request, used, strong: telling.length > 0, score };
  }
  return best;
}

function lettersOf(text: string): string {
  return text.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, "");
}

function escapePattern(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
}
