import type { ChatTool } from "../../../lib/contract/chat";
import type { JsonValue } from "../../../lib/contract/json";
import { describeField, type FieldDescription } from "../../../lib/schema/describe/describe-field";
import { sampleValue } from "../../../lib/schema/describe/initial-values";
import { asLiteral, findObject, type Literal, unmask } from "./literals";
import type { ToolMatch } from "./match-tool";

export interface FilledArguments {
  /** JSON text; the request's own where it gave all arguments as one object. */
  text: string;
  /** Required parameters that the request did not give. */
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
const LEADING = /^(?:(?:with|of|for|in|at|on|about|to|from)(?:\s+|$))+/i;
const NUMBER = /^-?\d+(?:\.\d+)?$/;

/** Arguments from what follows a tool's name: a JSON object, `key=value` pairs, or the text of one parameter. */
export function fillArguments({ tool, rest, parameter }: ToolMatch, literals: readonly Literal[]): FilledArguments {
  const whole = rest.includes("=") ? undefined : findObject(rest, literals);
  if (whole !== undefined) return { text: whole.raw, invented: [] };
  const parameters = listParameters(tool);
  const values = new Map<string, JsonValue>();
  const left = rest.replace(PAIR, (_, key: string, word: string) => {
    const known = parameters.find(({ name }) => name.toLowerCase() === key.toLowerCase());
    // The validator names a key that the tool does not have.
    values.set(known?.name ?? key, toValue(word, literals, known?.field));
    return " ";
  });
  const text = left
    .trim()
    .replace(LEADING, "")
    .replace(/[\s?!]+$|(?<=\p{L})\.$/u, "");
  const target = parameters.find(({ name, field }) =>
    parameter === null ? !values.has(name) && takesText(field, text) : name === parameter,
  );
  if (text !== "" && target !== undefined) values.set(target.name, toValue(text, literals, target.field));
  const invented = parameters.filter(({ name, required }) => required && !values.has(name));
  for (const { name, field } of invented) values.set(name, sampleValue(field.schema, tool.parameters));
  return { text: JSON.stringify(Object.fromEntries(values)), invented: invented.map(({ name }) => name) };
}

/** A tool's first parameters, the required ones before the others. */
export function listParameters({ parameters }: ChatTool): Parameter[] {
  const { properties } = describeField(parameters, parameters);
  return [...properties]
    .sort((one, other) => Number(other.required) - Number(one.required))
    .slice(0, MAX_PARAMETERS)
    .map(({ name, required, schema }) => ({ name, required, field: describeField(schema, parameters) }));
}

function takesText({ kind, options }: FieldDescription, text: string): boolean {
  if (kind === "number" || kind === "integer") return NUMBER.test(text);
  if (kind === "enum") return options.some(({ value }) => isSpelled(value, text));
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
