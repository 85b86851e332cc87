import type { ChatTool } from "../../../lib/contract/chat";
import { findExpression, findExpressionParameter } from "./expressions";

export interface ToolMatch {
  tool: ChatTool;
  /** The words that may be arguments: of a named tool those after its name. */
  rest: string;
  /** The parameter that receives `rest`; null where the schema decides. */
  parameter: string | null;
}

const COMMANDS =
  /^(?:(?:please|can you|could you|now|also|and|then|just|call|run|use|invoke|execute|what is|what's|show|tell me|the|tool)[,\s]+)+/i;
/** Verbs that a request may leave out: `weather` means `get_weather`, while `file` never means `delete_file`. */
const READING_VERBS = new Set(["get", "list", "search", "find", "read", "fetch", "show"]);
const MAX_NAME_CHARS = 300;

/** The tool that a request names, or the one for its arithmetic. Literals of the request are masked. */
export function matchTool(request: string, tools: readonly ChatTool[]): ToolMatch | null {
  const text = request.trim().replace(COMMANDS, "");
  return matchName(text, tools) ?? matchExpression(request.trim(), text, tools);
}

/** How requests name a tool; made once for each tool. */
interface ToolNames {
  /** A request without these letters does not name the tool, which is cheaper to see. */
  letters: string;
  /** Matched at the beginning, or anywhere for a name of several words. */
  patterns: RegExp[];
  length: number;
}

const namesOfTools = new WeakMap<ChatTool, ToolNames>();

function matchName(text: string, tools: readonly ChatTool[]): ToolMatch | null {
  const letters = toLetters(text);
  let best: { tool: ChatTool; rank: number; end: number } | null = null;
  for (const tool of tools) {
    const names = listNames(tool);
    if (!letters.includes(names.letters)) continue;
    const match = names.patterns.map((pattern) => pattern.exec(text)).find((found) => found !== null);
    if (!match) continue;
    const rank = (text.includes(tool.name) ? MAX_NAME_CHARS : 0) + names.length;
    if (best === null || rank > best.rank) best = { tool, rank, end: match.index + match[0].length };
  }
  if (best === null) return null;
  return { tool: best.tool, rest: text.slice(best.end).replace(/^\s*(?:tool\b)?[\s:,]*/, ""), parameter: null };
}

function matchExpression(request: string, text: string, tools: readonly ChatTool[]): ToolMatch | null {
  const rest = findExpression(request) ?? findExpression(text);
  if (rest === null) return null;
  for (const tool of tools) {
    const parameter = findExpressionParameter(tool);
    if (parameter !== null) return { tool, rest, parameter };
  }
  return null;
}

function listNames(tool: ChatTool): ToolNames {
  const known = namesOfTools.get(tool);
  if (known !== undefined) return known;
  const words = toWords(tool.name.slice(tool.name.lastIndexOf("__") + 1));
  const bare = words.length > 1 && READING_VERBS.has(words[0] ?? "") ? words.slice(1) : words;
  const anywhere =
    words.length > 1 ? [toWords(tool.name), words].map((name) => toPattern(name, "(?<![\\p{L}\\p{N}_])")) : [];
  const patterns = words.length === 0 ? [] : [...anywhere, toPattern(toWords(tool.name), "^"), toPattern(bare, "^")];
  const names = { letters: bare.join(""), patterns, length: words.join("_").length };
  namesOfTools.set(tool, names);
  return names;
}

/** Splits a name into words: `getSum`, `get-sum` and `get_sum` are equal. */
function toWords(name: string): string[] {
  const spaced = name.slice(0, MAX_NAME_CHARS).replace(/([a-z0-9])([A-Z])/g, "$1 $2");
  return spaced.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
}

function toPattern(words: readonly string[], before: string): RegExp {
  return new RegExp(`${before}${words.join("[\\s_./-]*")}(?![\\p{L}\\p{N}_]|[./-]\\w)`, "iu");
}

const toLetters = (text: string): string => text.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, "");
