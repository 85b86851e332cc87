import type { JsonSchema, JsonValue } from "../../contract/json";
import { allowedValues, getBound } from "../compare/schema-facts";
import { ownKeyword } from "../resolve-ref";
import { readType } from "./accept-value";
import { FORMAT_SAMPLES } from "./format-samples";
import { samplePattern } from "./pattern-samples";

/** Longer texts are not made. */
const MAX_CHARS = 5_000;
const MAX_LISTED = 40;

/** The values of `enum` and `const` in the schemas. */
function listNamedValues(mentions: readonly JsonSchema[]): JsonValue[] {
  return mentions.flatMap((schema) => [...(allowedValues(schema)?.values() ?? [])].slice(0, MAX_LISTED) as JsonValue[]);
}

/** Texts at and beyond the limits that the schemas mention. */
function sampleTexts(mentions: readonly JsonSchema[]): string[] {
  const texts = new Set<string>(["a", "", "b", "ab", "0", "?"]);
  const lengths = new Set<number>();
  for (const schema of mentions) {
    const pattern = ownKeyword(schema, "pattern");
    const format = ownKeyword(schema, "format");
    if (typeof pattern === "string") for (const text of samplePattern(pattern).flatMap(varyText)) texts.add(text);
    if (typeof format === "string" && Object.hasOwn(FORMAT_SAMPLES, format))
      for (const text of FORMAT_SAMPLES[format] ?? []) texts.add(text);
    for (const size of listSizes(schema, "Length")) lengths.add(size);
  }
  const stems = [...texts].filter((text) => text !== "").slice(0, 8);
  for (const length of lengths) {
    if (length > MAX_CHARS) continue;
    // A text that fits a pattern often still fits with its first or last character repeated.
    for (const text of stems) {
      texts.add(text.length >= length ? text.slice(0, length) : text.padEnd(length, text.at(-1)));
      if (text.length < length) texts.add(text.padStart(length, text[0]));
    }
  }
  return [...texts];
}

/** Texts that another pattern may refuse: with characters before, after and inside. */
function varyText(text: string): string[] {
  const middle = Math.ceil(text.length / 2);
  const varied = ["A", "/", "0", "-", " "].flatMap((sign) => [
    `${text}${sign}`,
    `${sign}${text}`,
    `${text.slice(0, middle)}${sign}${text.slice(middle)}`,
  ]);
  return [text, ...varied];
}

/** Numbers at and beyond the limits that the schemas mention. */
function sampleNumbers(mentions: readonly JsonSchema[]): number[] {
  const numbers = new Set<number>([1, 0, 2, -1, 0.5]);
  const steps = new Set<number>();
  for (const schema of mentions) {
    for (const keyword of ["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"]) {
      const limit = getBound(schema, keyword);
      if (limit !== null) for (const by of [0, 1, -1, 0.5, -0.5, 10, -10]) numbers.add(limit + by);
    }
    const step = ownKeyword(schema, "multipleOf");
    if (typeof step === "number" && step > 0) steps.add(step);
  }
  for (const step of steps) {
    for (const number of [...numbers].slice(0, 30))
      numbers.add(Math.ceil(number / step) * step).add(Math.floor(number / step) * step);
    numbers
      .add(step)
      .add(step * 2)
      .add(-step)
      .add(step * 1.5)
      .add(step + 1);
  }
  for (const step of steps) for (const other of steps) numbers.add(step * other);
  return [...numbers].filter(Number.isFinite);
}

/** The sizes around a limit: the limit, one less and one more. */
export function listSizes(schema: JsonSchema, what: string): number[] {
  return [`min${what}`, `max${what}`]
    .map((keyword) => getBound(schema, keyword))
    .flatMap((limit) => (limit === null ? [] : [limit, limit + 1, limit - 1]))
    .filter((size) => Number.isInteger(size) && size >= 0);
}

export function sampleScalars(types: ReadonlySet<string>, mentions: readonly JsonSchema[]): JsonValue[] {
  const values = listNamedValues(mentions).filter((value) => types.has(readType(value)) || types.has("number"));
  if (types.has("string")) values.push(...sampleTexts(mentions));
  if (types.has("integer") || types.has("number")) values.push(...sampleNumbers(mentions));
  if (types.has("boolean")) values.push(true, false);
  if (types.has("null")) values.push(null);
  return values;
}
