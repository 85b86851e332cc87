import { isPlainObject, type JsonSchema } from "../../contract/json";
import { getHolding } from "../keywords";
import { reductionFor } from "./provider-schema";
import { SCHEMA_DIALECTS, type SchemaProvider } from "./schema-dialects";
import { hasNote } from "./schema-notes";

const REFERENCES = new Set([
  "$ref",
  "$dynamicRef",
  "$recursiveRef",
  "$defs",
  "definitions",
  "$anchor",
  "$dynamicAnchor",
]);
const IDENTIFIERS = new Set(["$schema", "$id", "$comment", "$vocabulary", "$recursiveAnchor", "id"]);
const MAX_KEYWORDS = 40;
const MAX_KEYWORD_CHARS = 60;
const MAX_PAIR_CHARS = 130;

/**
 * Every keyword of a tool's parameters that a provider is sent in another way than it is written, or not at all. Found by
 * comparing both schemas, so that no change can be forgotten here.
 */
export function conversionNotes(kind: SchemaProvider, provider: string, schema: JsonSchema): string[] {
  const { unrenamed: sent, names, cuts, shortened } = reductionFor(kind, schema);
  if (!isPlainObject(schema))
    return [`The parameters are not a schema: ${provider} receives an object without properties.`];
  const missing = missingKeywords(listKeywords(schema), listKeywords(sent));
  const groups = groupByTreatment(kind, missing);
  const notes: string[] = [];
  if (shortened) {
    notes.push(`The parameters are too large for one request: ${provider} receives a shortened schema.`);
  }
  if (cuts > 0) {
    notes.push(
      `${provider} does not accept recursive or deeply nested schemas: the outer levels are sent, the inner ones are described in text. Calls are still validated against the whole schema.`,
    );
  }
  const add = (words: string, keywords: readonly string[]): void => {
    if (keywords.length > 0) notes.push(`${words}: ${list(keywords)}.`);
  };
  add("Inlined", groups.references);
  add(shortened ? "Shortened or rewritten" : "Rewritten", groups.rewritten);
  add("Moved to the description", groups.inWords);
  add("Not sent", groups.dropped);
  if (names.size > 0) notes.push(renameNote(kind, provider, names));
  if (notes.length === 0 && JSON.stringify(sent) !== JSON.stringify(schema)) {
    notes.push(`Reordered for ${provider}; same meaning.`);
  }
  return notes;
}

/** `$top is sent as _top_1a2b3c4d …` */
function renameNote(kind: SchemaProvider, provider: string, names: ReadonlyMap<string, string>): string {
  const pairs = [...names].map(([alias, name]) => `${name.slice(0, MAX_KEYWORD_CHARS)} as ${alias}`);
  const { propertyNames } = SCHEMA_DIALECTS[kind];
  return `Properties are sent under other names, and calls get the names back: ${list(pairs, MAX_PAIR_CHARS)}. ${provider} accepts ${propertyNames?.words}.`;
}

function groupByTreatment(kind: SchemaProvider, keywords: readonly string[]) {
  const taken = SCHEMA_DIALECTS[kind].keywords;
  const groups = {
    references: [] as string[],
    rewritten: [] as string[],
    inWords: [] as string[],
    dropped: [] as string[],
  };
  for (const keyword of keywords) {
    if (REFERENCES.has(keyword)) groups.references.push(keyword);
    else if (IDENTIFIERS.has(keyword)) groups.dropped.push(keyword);
    else if (keyword === "format") groups.inWords.push(keyword);
    else if (taken.has(keyword) || REWRITTEN.has(keyword)) groups.rewritten.push(keyword);
    else if (hasNote(keyword)) groups.inWords.push(keyword);
    else groups.dropped.push(keyword);
  }
  return groups;
}

/** `oneOf` becomes `anyOf`, parts of an `allOf` are merged, constants become enums, older words newer ones. */
const REWRITTEN = new Set(["oneOf", "allOf", "const", "additionalItems", "dependencies", "prefixItems"]);

function list(keywords: readonly string[], maxChars = MAX_KEYWORD_CHARS): string {
  const shown = keywords.slice(0, MAX_KEYWORDS).map((keyword) => keyword.slice(0, maxChars));
  const more = keywords.length > shown.length ? ` and ${keywords.length - shown.length} more` : "";
  return shown.join(", ") + more;
}

/** How often a schema has each keyword with each value; of a keyword that holds schemas, only their names or number count. */
type KeywordInventory = ReadonlyMap<string, ReadonlyMap<string, number>>;

/** The number of visited schemas; those behind references count where they are written. */
const MAX_SCHEMAS = 20_000;
const MAX_VALUE_CHARS = 2_000;

function listKeywords(schema: JsonSchema): KeywordInventory {
  const found = new Map<string, Map<string, number>>();
  const pending: unknown[] = [schema];
  for (let at = 0; at < pending.length && at < MAX_SCHEMAS; at += 1) {
    const node = pending[at];
    if (!isPlainObject(node)) continue;
    for (const [keyword, value] of Object.entries(node)) {
      const counts = found.get(keyword) ?? new Map<string, number>();
      const text = valueText(keyword, value, pending);
      found.set(keyword, counts.set(text, (counts.get(text) ?? 0) + 1));
    }
  }
  return found;
}

/** Returns the compared text of a keyword's value; schemas in it are queued. */
function valueText(keyword: string, value: unknown, pending: unknown[]): string {
  const holding = typeof value === "object" ? getHolding(keyword, value) : null;
  if (holding === "schema") {
    pending.push(value);
    return "schema";
  }
  if (holding !== null) {
    const names = Object.keys(value as object);
    for (const inner of Object.values(value as object)) pending.push(inner);
    return holding === "list" ? `list of ${names.length}` : JSON.stringify(names.sort());
  }
  return (JSON.stringify(value) ?? "").slice(0, MAX_VALUE_CHARS);
}

/** Keywords of the first that the second has less often, or with other values. */
function missingKeywords(written: KeywordInventory, sent: KeywordInventory): string[] {
  return [...written].flatMap(([keyword, values]) => {
    const kept = sent.get(keyword);
    return [...values].every(([value, count]) => (kept?.get(value) ?? 0) >= count) ? [] : [keyword];
  });
}
