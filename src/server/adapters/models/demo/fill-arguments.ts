import { isPlainObject, type JsonValue } from "../../../../lib/contract";
import { expressionIn, expressionParameter } from "./expressions";
import { freeText, preferredText } from "./free-text";
import { type Literal, literalOf, MASK, unmask } from "./literals";
import type { ToolMatch } from "./match-tool";
import { inventedValue, isFreeText, isNumeric, optionOf, type Parameter, parametersOf, wordValue } from "./parameters";
import { fitByShape } from "./shaped-words";
import { normalName, stem, wordsOf } from "./words";

export interface FilledArguments {
  /** JSON text; the request's own where it gave the whole. */
  text: string;
  /** Required parameters that the request did not give. */
  invented: string[];
}

interface Filling {
  match: ToolMatch;
  parameters: Parameter[];
  literals: readonly Literal[];
  values: Map<string, JsonValue>;
  /** What of the request nothing has taken yet, literals masked. */
  rest: string;
}

const NUMBER = /^#?-?\d+(?:\.\d+)?[,.?!%]?$/;
const PAIR = /([\p{L}\p{N}_.-]+)\s*(?:=|:\s)\s*(\uE000\d+\uE001|[^\s,;]+)/gu;

/** Arguments for a tool from the words of a request. */
export function fillArguments(match: ToolMatch, literals: readonly Literal[]): FilledArguments {
  const filling: Filling = {
    match,
    parameters: parametersOf(match.tool),
    literals,
    values: new Map(),
    rest: match.rest,
  };
  const whole = takeJson(filling);
  if (whole !== null) return { text: whole, invented: [] };
  takeExpression(filling);
  takePairs(filling);
  takeOptions(filling);
  takeQuoted(filling);
  takeShapes(filling);
  takeNumbers(filling);
  takeText(filling);
  const invented = open(filling).filter(({ required }) => required);
  for (const parameter of invented) {
    filling.values.set(parameter.name, inventedValue(parameter, match.tool.parameters));
  }
  return { text: JSON.stringify(Object.fromEntries(filling.values)), invented: invented.map(({ name }) => name) };
}

function open({ parameters, values }: Filling): Parameter[] {
  return parameters.filter(({ name }) => !values.has(name));
}

/** JSON in the request: all arguments, or the value of one. Gives the text where nothing else has to be found. */
function takeJson(filling: Filling): string | null {
  for (const [mask] of filling.rest.matchAll(MASK)) {
    const literal = literalOf(mask, filling.literals);
    if (literal?.kind !== "json" || /[=:]\s*$/.test(filling.rest.slice(0, filling.rest.indexOf(mask)))) continue;
    const { value, raw } = literal;
    const required = filling.parameters.filter((parameter) => parameter.required);
    if (isPlainObject(value)) {
      const known = filling.parameters.some(({ name }) => Object.hasOwn(value, name));
      const [only] = required;
      if (known || required.length !== 1 || only === undefined) return raw;
      filling.values.set(only.name, isFreeText(only) && only.field.kind !== "any" ? raw : (value as JsonValue));
    } else {
      const list = open(filling).find(({ field }) => field.kind === "array" || field.kind === "tuple");
      if (list === undefined) continue;
      filling.values.set(list.name, value);
    }
    filling.rest = filling.rest.replace(mask, " ");
  }
  return null;
}

function takeExpression(filling: Filling): void {
  const name = expressionParameter(filling.match.tool);
  if (name === null || filling.rest.search(PAIR) >= 0) return;
  const expression = filling.match.by === "expression" ? filling.match.rest : expressionIn(filling.rest);
  if (expression === null) return;
  filling.values.set(name, unmask(expression, filling.literals));
  filling.rest = "";
}

/** `key=value` and `key: value`. A key that the tool does not have is passed on: the tool's check names it. */
function takePairs(filling: Filling): void {
  filling.rest = filling.rest.replace(PAIR, (pair: string, key: string, word: string) => {
    const normal = normalName(key);
    const parameter = filling.parameters.find((candidate) => candidate.name === key || candidate.normal === normal);
    const literal = literalOf(word, filling.literals);
    if (parameter !== undefined) {
      filling.values.set(parameter.name, literal === null ? wordValue(word, parameter) : literal.value);
      return " ";
    }
    if (filling.match.by !== "name" || !pair.includes("=") || filling.parameters.length === 0) return pair;
    const plain = /^-?\d+(?:\.\d+)?$/.test(word) ? Number(word) : word;
    filling.values.set(key, literal === null ? plain : literal.value);
    return " ";
  });
}

/** Words that are an option of an enum, and names of switches. */
function takeOptions(filling: Filling): void {
  for (const parameter of open(filling)) {
    const { options, kind } = parameter.field;
    if (kind === "boolean" && wordsOf(filling.rest).some((word) => normalName(word) === parameter.normal)) {
      filling.values.set(
        parameter.name,
        !new RegExp(`\\b(?:no|without|not) ${parameter.name}`, "i").test(filling.rest),
      );
      continue;
    }
    const asked = normalName(filling.rest).split("_");
    const option = options.find(({ value }) => {
      const words = normalName(String(value)).split("_");
      return asked.some((_, at) => words.every((word, offset) => asked[at + offset] === word));
    });
    if (option === undefined) continue;
    filling.values.set(parameter.name, option.value);
    filling.rest = filling.rest.replace(new RegExp(`\\b${escapePattern(String(option.value))}\\b`, "i"), " ");
  }
}

function takeQuoted(filling: Filling): void {
  for (const [mask] of filling.rest.matchAll(MASK)) {
    const literal = literalOf(mask, filling.literals);
    if (literal?.kind !== "text") continue;
    const parameter = preferredText(open(filling), filling.rest.slice(0, filling.rest.indexOf(mask)));
    if (parameter === null) return;
    filling.values.set(parameter.name, literal.value);
    filling.rest = filling.rest.replace(mask, " ");
  }
}

function takeShapes(filling: Filling): void {
  for (const word of filling.rest.split(/\s+/)) {
    const found = fitByShape(word.replace(/[,?!]$|\.$/, ""), open(filling));
    if (found === null) continue;
    for (const [name, value] of found) filling.values.set(name, value);
    filling.rest = filling.rest.replace(word, " ");
  }
}

/** Numbers beside a parameter's name are its value; the others go in order, to what is required first. */
function takeNumbers(filling: Filling): void {
  const words = filling.rest.split(/\s+/).filter(Boolean);
  const numbers = words.flatMap((word, at) => (NUMBER.test(word) ? [at] : []));
  const left = numbers.filter((at) => !takeNamedNumber(filling, words, at));
  const wanted = open(filling).filter(isNumeric);
  const text = open(filling).some((parameter) => parameter.required && isFreeText(parameter));
  for (const at of left) {
    const parameter = wanted.find(({ name, required }) => !filling.values.has(name) && (required || !text));
    if (parameter === undefined) break;
    filling.values.set(parameter.name, numberAt(words, at));
    words[at] = "";
  }
  filling.rest = words.filter(Boolean).join(" ");
}

/** Takes "3 days", "days 3" and "for 3 days" out of the words. */
function takeNamedNumber(filling: Filling, words: string[], at: number): boolean {
  for (const beside of [at + 1, at - 1]) {
    const word = stem(wordsOf(words[beside] ?? "")[0] ?? "");
    const parameter = open(filling).find(
      (candidate) =>
        isNumeric(candidate) && candidate.normal.split("_").some((part) => word !== "" && stem(part) === word),
    );
    if (parameter === undefined) continue;
    filling.values.set(parameter.name, numberAt(words, at));
    const before = Math.min(at, beside) - 1;
    if (/^(?:for|with|in|of|and)$/i.test(words[before] ?? "")) words[before] = "";
    words[at] = "";
    words[beside] = "";
    return true;
  }
  return false;
}

function numberAt(words: readonly string[], at: number): number {
  return Number((words[at] ?? "").replace(/[^\d.-]|\.$/g, ""));
}

function takeText(filling: Filling): void {
  const { match, literals } = filling;
  const parameter = preferredText(open(filling), match.rest);
  if (parameter === null) return;
  const text = freeText(filling.rest, match, parameter);
  if (text === null) return;
  const option = optionOf(text, parameter.field);
  filling.values.set(parameter.name, option ?? wordValue(unmask(text, literals), parameter));
}

function escapePattern(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
}
