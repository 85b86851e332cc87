import type { JsonSchema } from "../../contract/json";
import { ownKeyword } from "../resolve-ref";

const MAX_PATTERN_CHARS = 60;

function finite(schema: JsonSchema, keyword: string): number | null {
  const value = ownKeyword(schema, keyword);
  return typeof value === "number" && Number.isFinite(value) ? value : null;
}

/** Bounds of a number, or of a count of `one` or `many`. */
function range(low: number | null, high: number | null, one = "", many = `${one}s`): string | null {
  const counted = (count: number): string => (one === "" ? String(count) : `${count} ${count === 1 ? one : many}`);
  if (low !== null && high !== null) return low === high ? `exactly ${counted(low)}` : `${low}–${counted(high)}`;
  if (low !== null) return one === "" ? `≥ ${low}` : `at least ${counted(low)}`;
  if (high !== null) return one === "" ? `≤ ${high}` : `at most ${counted(high)}`;
  return null;
}

function bounds(schema: JsonSchema): (string | null)[] {
  const above = finite(schema, "exclusiveMinimum");
  const below = finite(schema, "exclusiveMaximum");
  const step = finite(schema, "multipleOf");
  return [
    range(finite(schema, "minimum"), finite(schema, "maximum")),
    above === null ? null : `> ${above}`,
    below === null ? null : `< ${below}`,
    step === null ? null : `multiple of ${step}`,
  ];
}

function text(schema: JsonSchema): (string | null)[] {
  const format = ownKeyword(schema, "format");
  const pattern = ownKeyword(schema, "pattern");
  const shown =
    typeof pattern === "string" && pattern.length > MAX_PATTERN_CHARS
      ? `${pattern.slice(0, MAX_PATTERN_CHARS)}…`
      : pattern;
  return [
    typeof format === "string" ? format : null,
    range(finite(schema, "minLength"), finite(schema, "maxLength"), "character"),
    typeof shown === "string" ? `matches ${shown}` : null,
  ];
}

/** The limits of a value beyond its type: `1–14`, `email`, `at least 1 item · no repeats`. Null for none. */
export function describeConstraints(schema: JsonSchema): string | null {
  const parts = [
    ...bounds(schema),
    ...text(schema),
    range(finite(schema, "minItems"), finite(schema, "maxItems"), "item"),
    ownKeyword(schema, "uniqueItems") === true ? "no repeats" : null,
    range(finite(schema, "minProperties"), finite(schema, "maxProperties"), "property", "properties"),
  ].filter((part) => part !== null);
  return parts.length === 0 ? null : parts.join(" · ");
}
