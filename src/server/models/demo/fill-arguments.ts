import type { ChatTool } from "../../../lib/contract/chat";
import type { JsonValue } from "../../../lib/contract/json";
import { describeField, type FieldDescription } from "../../../lib/schema/describe/describe-field";
import { sampleValue } from "../../../lib/schema/describe/initial-values";
import { asLiteral, findObject, type Literal, unmask } from "./literals";
import type { ToolMatch } from "./match-tool";

export interface FilledArguments {
  /** JSON text; the request's own where it contains all arguments as one object. */
  text: string;
  /** Required parameters that the request did not contain. */
  invented: string[];
}

export interface Parameter {
  name: string;
  required: boolean;
  field: FieldDescription;
}

/** More parameters than a request can name. */
const MAX_PARAMETERS = 200;
const PAIR = /([\p{L}\p{N}_.-]+) ?= ?(\uE000\d+\uE001|[^\s,;]+),?/gu;
const LEADING = /^[\s,]*(?:(?:with|of|for|in|at|on|about|to|from)(?:\s+|$))*/i;
const NUMBER = /^-?\d+(?:\.\d+)?$/;
/** A number in a sentence, with the word before it that leads to it. */
const AMOUNT = /(?:\b(?:with|of|for|at|by) )?(?<![\p{L}\p{N}_.-])(-?\d+(?:\.\d+)?)(?![\p{L}\p{N}_-]|\.\d)/iu;
const REASON = /\b(?:because|since|saying) (.+)$/i;
/** Words that identify a thing, such as `ord_5512` and `ada@example.org`, and quoted ones. */
const IDENTIFIER = /[\d_@/\uE000]/;

/** Arguments from what follows a tool's name: a JSON object, `key=value` pairs, the text of one parameter, or a sentence that names values. */
export function fillArguments(
  { tool, rest: given, parameter }: ToolMatch,
  literals: readonly Literal[],
): FilledArguments {
  const whole = given.includes("=") ? undefined : findObject(given, literals);
  if (whole !== undefined) return { text: whole.raw, invented: [] };
  const parameters = listParameters(tool);
  const values = new Map<string, JsonValue>();
  const left = given.replace(PAIR, (_, key: string, word: string) => {
    const known = parameters.find(({ name }) => name.toLowerCase() === key.toLowerCase());
    // The validator may name a key that the tool does not have.
    values.set(known?.name ?? key, toValue(word, literals, known?.field));
    return " ";
  });
  const rest = left.trim().replace(/[\s?!]+$|(?<=\p{L})\.$/u, "");
  const open = parameters.filter(({ name }) => !values.has(name));
  const named = parameter === null ? findNamedValues(rest, open) : { words: new Map<string, string>(), left: rest };
  const text = named.left.replace(LEADING, "");
  const target = parameters.find(({ name, field }) =>
    parameter === null ? !values.has(name) && !named.words.has(name) && takesText(field, text) : name === parameter,
  );
  if (text !== "" && target !== undefined) named.words.set(target.name, findOption(target.field, text) ?? text);
  for (const { name, field } of parameters) {
    const word = named.words.get(name);
    if (word !== undefined) values.set(name, toValue(word, literals, field));
  }
  const invented = parameters.filter(({ name, required }) => required && !values.has(name));
  for (const { name, field } of invented) values.set(name, sampleValue(field.schema, tool.parameters));
  return { text: JSON.stringify(Object.fromEntries(values)), invented: invented.map(({ name }) => name) };
}

/**
 * The values that a sentence names for required parameters: numbers by their type, a reason after "because", ids in their
 * order. `left` is the text without them. A sentence for a single text is left whole.
 */
function findNamedValues(text: string, parameters: readonly Parameter[]): { words: Map<string, string>; left: string } {
  const words = new Map<string, string>();
  const required = parameters.filter((parameter) => parameter.required);
  if (required.length < 2) return { words, left: text };
  let left = text;
  const take = (name: string, found: RegExpExecArray | null): void => {
    if (found === null) return;
    words.set(name, found[1] ?? found[0]);
    left = `${left.slice(0, found.index).trimEnd()} ${left.slice(found.index + found[0].length).trimStart()}`.trim();
  };
  for (const { name, field } of required) {
    if (field.kind === "number" || field.kind === "integer") take(name, AMOUNT.exec(left));
  }
  const texts = required.filter(({ field }) => field.kind === "string" || field.kind === "multiline");
  const last = texts.at(-1);
  if (texts.length > 1 && last !== undefined) take(last.name, REASON.exec(left));
  for (const { name } of texts.slice(0, -1)) {
    const id = left.split(/[\s,]+/).find((word) => IDENTIFIER.test(word));
    if (id === undefined) break;
    words.set(name, id);
    left = left.replace(id, "").trim();
  }
  return { words, left };
}

/** A tool's first parameters, the required ones before the others. */
export function listParameters({ parameters }: ChatTool): Parameter[] {
  const { properties } = describeField(parameters, parameters);
  return [...properties]
    .sort((one, other) => Number(other.required) - Number(one.required))
    .slice(0, MAX_PARAMETERS)
    .map(({ name, required, schema }) => ({ name, required, field: describeField(schema, parameters) }));
}

/** The option that a sentence names, such as `yesterday`; null for none, and where there are no options. */
function findOption({ kind, options }: Pick<FieldDescription, "kind" | "options">, text: string): string | null {
  if (kind !== "enum") return null;
  const words = [text, ...text.split(/[\s,;?!]+/)];
  return words.find((word) => options.some(({ value }) => isSpelled(value, word))) ?? null;
}

function takesText({ kind, options }: FieldDescription, text: string): boolean {
  if (kind === "number" || kind === "integer") return NUMBER.test(text);
  if (kind === "enum") return findOption({ kind, options }, text) !== null;
  return kind === "string" || kind === "multiline" || kind === "any";
}

/** A word as a value of the parameter's type; the word itself where it does not fit, for the validator to say why. */
function toValue(word: string, literals: readonly Literal[], field: FieldDescription | undefined): JsonValue {
  const literal = asLiteral(word, literals);
  if (literal !== undefined) return literal.value;
  const text = unmask(word, literals);
  const kind = field?.kind ?? "any";
  if (kind === "string" || kind === "multiline") return text;
  if (kind === "array") return text.split(",").map((item) => item.trim());
  if (NUMBER.test(text)) return Number(text);
  if (text === "true" || text === "false") return text === "true";
  if (text === "null" && field?.allowsNull === true) return null;
  return field?.options.find(({ value }) => isSpelled(value, text))?.value ?? text;
}

function isSpelled(value: JsonValue, text: string): boolean {
  return String(value).toLowerCase() === text.toLowerCase();
}
