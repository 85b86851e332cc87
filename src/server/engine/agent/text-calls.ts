import type { ChatTool, FunctionCallContent } from "../../../lib/contract/chat";
import { isPlainObject } from "../../../lib/contract/json";
import { parseExactParts, toExactText } from "../../../lib/json/exact-text";
import { portableName } from "../../../lib/portable-name";

export type TextCall = Pick<FunctionCallContent, "name" | "arguments">;

/** A longer text is a document, not a call. */
const MAX_TEXT_CHARS = 100_000;
const MAX_CALLS = 20;
const NAME_KEYS = ["name", "function", "tool", "tool_name", "function_name"];
const ARGUMENT_KEYS = ["arguments", "parameters", "args", "input", "tool_input"];

/** `<tool_call>…</tool_call>` of Hermes, Qwen and others; the end may be missing. */
const TAGGED = /<(tool_call|function_call|tool_calls|tools)>([\s\S]*?)(?:<\/\1>|$)/g;
/** `<function=name>…</function>` of Llama and Qwen. */
const FUNCTION_TAG = /<function=([^>\s]+)>([\s\S]*?)(?:<\/function>|(?=<function=)|$)/g;
const PARAMETER_TAG = /<parameter=([^>\s]+)>\n?([\s\S]*?)\n?(?:<\/parameter>|(?=<parameter=)|$)/g;
/** `[TOOL_CALLS][{…}]`, `[TOOL_CALLS]name[ARGS]{…}` and `[TOOL_CALLS]name{…}` of Mistral. */
const MISTRAL = "[TOOL_CALLS]";
const MISTRAL_CALL = /^\s*([^\s{[]+)\s*(?:\[CALL_ID\][^[{]*)?(?:\[ARGS\])?\s*(?={)/;
const PYTHON_TAG = "<|python_tag|>";
const FENCE = /```[^\n`]*\n([\s\S]*?)(?:```|$)/g;

/**
 * The calls of offered tools that a model wrote as text, as local servers without a parser for their model pass them on. Empty for
 * any other text, so also for JSON that names no offered tool.
 */
export function findTextCalls(text: string, tools: readonly ChatTool[]): TextCall[] {
  if (tools.length === 0 || text.length > MAX_TEXT_CHARS || !/[{<[]/.test(text)) return [];
  const names = new Map(tools.flatMap(({ name }) => [[portableName(name), name] as const, [name, name] as const]));
  const calls = findWritten(text)
    .map(({ name, arguments: written }) => ({ name: names.get(name.trim()), arguments: written }))
    .filter((call): call is TextCall => call.name !== undefined);
  return calls.slice(0, MAX_CALLS);
}

function findWritten(text: string): TextCall[] {
  const functions = [...text.matchAll(FUNCTION_TAG)].map(([, name = "", body = ""]) => readFunctionTag(name, body));
  if (functions.length > 0) return functions;
  const tagged = [...text.matchAll(TAGGED)].flatMap(([, , body = ""]) => readValues(body));
  if (tagged.length > 0) return tagged;
  if (text.includes(MISTRAL)) return text.split(MISTRAL).slice(1).flatMap(readMistral);
  if (text.includes(PYTHON_TAG)) return readValues(text.slice(text.indexOf(PYTHON_TAG) + PYTHON_TAG.length));
  const whole = text.trim();
  if (whole.startsWith("{") || whole.startsWith("[")) return readValues(whole);
  return [...text.matchAll(FENCE)].flatMap(([, body = ""]) => readValues(body));
}

function readFunctionTag(name: string, body: string): TextCall {
  const parameters = [...body.matchAll(PARAMETER_TAG)];
  if (parameters.length === 0) return { name, arguments: body.trim() === "" ? "{}" : body.trim() };
  const members = parameters.map(([, key = "", value = ""]) => `${JSON.stringify(key)}:${toValueText(value)}`);
  return { name, arguments: `{${members.join(",")}}` };
}

/** JSON where the text is a value of another type than a string, else the text. */
function toValueText(text: string): string {
  const trimmed = text.trim();
  try {
    if (typeof JSON.parse(trimmed) !== "string") return trimmed;
  } catch {
    // The text is not a call, so it stays unchanged.
  }
  return JSON.stringify(text);
}

function readMistral(part: string): TextCall[] {
  const named = MISTRAL_CALL.exec(part);
  if (named === null) return readValues(part);
  const [value] = readJsonValues(part.slice(named[0].length));
  return isPlainObject(value) ? [{ name: named[1] ?? "", arguments: toExactText(value) ?? "{}" }] : [];
}

const readValues = (text: string): TextCall[] => readJsonValues(text).flatMap(readCall);

/** The JSON values at the beginning of a text, one after the other with white space, `,` or `;` between them. */
function readJsonValues(text: string): unknown[] {
  const values: unknown[] = [];
  let at = skipBetween(text, 0);
  while (values.length < MAX_CALLS && (text[at] === "{" || text[at] === "[")) {
    const end = findEnd(text, at);
    if (end === null) break;
    try {
      values.push(parseExactParts(text.slice(at, end)));
    } catch {
      break;
    }
    at = skipBetween(text, end);
  }
  return values;
}

function skipBetween(text: string, from: number): number {
  let at = from;
  while (at < text.length && /[\s,;]/.test(text[at] ?? "")) at += 1;
  return at;
}

/** The end of the list or object at `start`; null for one without an end. */
function findEnd(text: string, start: number): number | null {
  let depth = 0;
  let isInString = false;
  for (let at = start; at < text.length; at += 1) {
    const character = text[at];
    if (isInString) {
      if (character === "\\") at += 1;
      else if (character === '"') isInString = false;
    } else if (character === '"') isInString = true;
    else if (character === "{" || character === "[") depth += 1;
    else if (character === "}" || character === "]") depth -= 1;
    if (depth === 0) return at + 1;
  }
  return null;
}

function readCall(value: unknown): TextCall[] {
  if (Array.isArray(value)) return value.flatMap(readCall);
  if (!isPlainObject(value)) return [];
  if (Array.isArray(value.tool_calls)) return value.tool_calls.flatMap(readCall);
  if (isPlainObject(value.function)) return readCall(value.function);
  const name = NAME_KEYS.map((key) => value[key]).find((each) => typeof each === "string");
  const key = ARGUMENT_KEYS.find((each) => Object.hasOwn(value, each));
  if (typeof name !== "string" || key === undefined) return [];
  const written = value[key];
  if (typeof written === "string") return [{ name, arguments: written.trim() === "" ? "{}" : written }];
  if (written === null) return [{ name, arguments: "{}" }];
  return isPlainObject(written) ? [{ name, arguments: toExactText(written) ?? "{}" }] : [];
}
