import type { JsonSchema } from "../contract/json";
import { ownKeyword } from "./resolve-ref";

const MAX_PATTERN_CHARS = 60;

function finite(schema: JsonSchema, keyword: string): number | null {
  const value = ownKeyword(schema, keyword);
  return typeof value === "number" && Number.isFinite(value) ? value : null;
}

function range(low: number | null, high: number | null, unit: string): string | null {
  const suffix = unit === "" ? "" : ` ${unit}`;
  if (low !== null && high !== null) return low === high ? `exactly ${low}${suffix}` : `${low}–${high}${suffix}`;
  if (low !== null) return unit === "" ? `≥ ${low}` : `at least ${low}${suffix}`;
  if (high !== null) return unit === "" ? `≤ ${high}` : `at most ${high}${suffix}`;
  return null;
}

function bounds(schema: JsonSchema): (string | null)[] {
  const above = finite(schema, "exclusiveMinimum");
  const below = finite(schema, "exclusiveMaximum");
  const step = finite(schema, "multipleOf");
  return [
    range(finite(schema, "minimum"), finite(schema, "maximum"), ""),
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
    range(finite(schema, "minLength"), finite(schema, "maxLength"), "characters"),
    typeof shown === "string" ? `matches ${shown}` : null,
  ];
}

/** What limits a value beyond its type, in a few words: `1–14`, `email`, `at least 1 items · no repeats`. Null for none. */
export function constraintsOf(schema: JsonSchema): string | null {
  const parts = [
    ...bounds(schema),
    ...text(schema),
    range(finite(schema, "minItems"), finite(schema, "maxItems"), "items"),
    ownKeyword(schema, "uniqueItems") === true ? "no repeats" : null,
    range(finite(schema, "minProperties"), finite(schema, "maxProperties"), "properties"),
  ].filter((part) => part !== null);
  return parts.length === 0 ? null : parts.join(" · ");
}
