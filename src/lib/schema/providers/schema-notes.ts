const MAX_VALUE_CHARS = 200;

const NOTES = new Map<string, (value: string) => string>([
  ["const", (value) => `Must be ${value}.`],
  ["enum", (value) => `One of ${value}.`],
  ["default", (value) => `Default: ${value}.`],
  ["examples", (value) => `Examples: ${value}.`],
  ["format", (value) => `Format: ${value}.`],
  ["pattern", (value) => `Must match the pattern ${value}.`],
  ["minimum", (value) => `At least ${value}.`],
  ["maximum", (value) => `At most ${value}.`],
  ["exclusiveMinimum", (value) => `More than ${value}.`],
  ["exclusiveMaximum", (value) => `Less than ${value}.`],
  ["multipleOf", (value) => `A multiple of ${value}.`],
  ["minLength", (value) => `At least ${value} characters.`],
  ["maxLength", (value) => `At most ${value} characters.`],
  ["minItems", (value) => `At least ${value} items.`],
  ["maxItems", (value) => `At most ${value} items.`],
  ["minProperties", (value) => `At least ${value} properties.`],
  ["maxProperties", (value) => `At most ${value} properties.`],
  ["prefixItems", (value) => `Items in this order: ${value}.`],
  ["additionalProperties", (value) => `Any other property is ${value}.`],
  ["patternProperties", (value) => `Properties whose names match a pattern: ${value}.`],
  ["propertyNames", (value) => `Property names: ${value}.`],
  ["dependentRequired", (value) => `Properties that need others: ${value}.`],
  ["dependentSchemas", (value) => `With these properties also: ${value}.`],
  ["contains", (value) => `Must contain ${value}.`],
  ["not", (value) => `Must not be ${value}.`],
  ["if", (value) => `If it is ${value}, more rules hold.`],
  ["then", (value) => `Then: ${value}.`],
  ["else", (value) => `Otherwise: ${value}.`],
  ["contentEncoding", (value) => `Encoding: ${value}.`],
  ["contentMediaType", (value) => `Media type: ${value}.`],
]);

/** A dropped keyword's meaning as a sentence; null where a model has no use for it. */
export function noteOn(keyword: string, value: unknown): string | null {
  if (keyword === "uniqueItems") return value === true ? "Items must be unique." : null;
  if (keyword === "deprecated") return value === true ? "Deprecated." : null;
  if (typeof value === "boolean" && keyword === "additionalProperties") return null;
  return NOTES.get(keyword)?.(compact(value)) ?? null;
}

export function hasNote(keyword: string): boolean {
  return NOTES.has(keyword) || keyword === "uniqueItems" || keyword === "deprecated";
}

/** Cut texts of values: one that references lead to is written out once. */
const compacted = new WeakMap<object, string>();

/** Formats a value as JSON, cut; also quotes the text of a format or a pattern. */
export function compact(value: unknown): string {
  if (typeof value === "string") return cut(JSON.stringify(value.slice(0, MAX_VALUE_CHARS + 1)));
  if (typeof value !== "object" || value === null) return cut(JSON.stringify(value) ?? "nothing");
  const known = compacted.get(value);
  if (known !== undefined) return known;
  const text = formatText(value);
  compacted.set(value, text);
  return text;
}

function formatText(value: object): string {
  try {
    return cut(JSON.stringify(value));
  } catch {
    return "…";
  }
}

function cut(text: string): string {
  return text.length > MAX_VALUE_CHARS ? `${text.slice(0, MAX_VALUE_CHARS)}…` : text;
}

export function joinNotes(notes: readonly (string | null | undefined)[], maxChars: number): string | undefined {
  const text = [...new Set(notes.filter((note) => note))].join(" ");
  if (text === "") return undefined;
  return text.length > maxChars ? `${text.slice(0, maxChars - 1)}…` : text;
}
