import { isPlainObject, type JsonSchema } from "../../contract/json";
import { inheritDigits } from "../../json/number-digits";
import { aliasNames, type NameRule } from "../../portable-name";
import { DATA_KEYWORDS, SCHEMA_MAPS } from "../keywords";
import { ownKeyword } from "../resolve-ref";
import { mapSchemas } from "../walk-schemas";

/** A schema whose properties have names that a provider takes. */
export interface RenamedSchema {
  schema: JsonSchema;
  /** Alias → name, of the properties that have an alias. */
  names: ReadonlyMap<string, string>;
}

/** Keywords whose keys are names of properties. */
const KEYED_BY_NAME = new Set(["properties", "dependentRequired", "dependentSchemas", "dependencies"]);
const NONE: ReadonlyMap<string, string> = new Map();

/**
 * Gives each property with a name that the rule does not accept an alias, at every depth and wherever the schema mentions the
 * name. One name has one alias in the whole schema; its description tells the model the name.
 */
export function renameProperties(schema: JsonSchema, rule: NameRule | null): RenamedSchema {
  if (rule === null) return { schema, names: NONE };
  const found = new Set<string>();
  collectNames(schema, found);
  const names = new Map([...aliasNames([...found], rule)].filter(([alias, name]) => alias !== name));
  if (names.size === 0) return { schema, names: NONE };
  const aliases = new Map([...names].map(([alias, name]) => [name, alias]));
  return { schema: renameIn(schema, aliases) as JsonSchema, names };
}

function collectNames(schema: unknown, found: Set<string>): void {
  if (Array.isArray(schema)) for (const item of schema) collectNames(item, found);
  if (!isPlainObject(schema)) return;
  for (const [keyword, value] of Object.entries(schema)) {
    if (keyword === "required") addTexts(value, found);
    if (KEYED_BY_NAME.has(keyword) && isPlainObject(value)) {
      for (const [name, inner] of Object.entries(value)) {
        found.add(name);
        addTexts(inner, found);
      }
    }
    if (DATA_KEYWORDS.has(keyword)) continue;
    const inner = SCHEMA_MAPS.has(keyword) && isPlainObject(value) ? Object.values(value) : value;
    collectNames(inner, found);
  }
}

function addTexts(value: unknown, found: Set<string>): void {
  if (!Array.isArray(value)) return;
  for (const text of value) if (typeof text === "string") found.add(text);
}

function renameIn(schema: unknown, aliases: ReadonlyMap<string, string>): unknown {
  if (Array.isArray(schema)) return schema.map((item) => renameIn(item, aliases));
  if (!isPlainObject(schema)) return schema;
  const entries = Object.entries(schema).map(([keyword, value]): [string, unknown] => {
    if (keyword === "required") return [keyword, renameTexts(value, aliases)];
    if (keyword === "dependentRequired") return [keyword, renameMembers(value, keyword, aliases)];
    if (DATA_KEYWORDS.has(keyword)) return [keyword, renameKeys(value, aliases)];
    const renamed = mapSchemas(keyword, value, (inner) => renameIn(inner, aliases));
    return [keyword, KEYED_BY_NAME.has(keyword) ? renameMembers(renamed, keyword, aliases) : renamed];
  });
  return inheritDigits(schema, Object.fromEntries(entries));
}

function renameMembers(value: unknown, keyword: string, aliases: ReadonlyMap<string, string>): unknown {
  if (!isPlainObject(value)) return value;
  const entries = Object.entries(value).map(([name, inner]): [string, unknown] => {
    const alias = aliases.get(name);
    const renamed = renameTexts(inner, aliases);
    if (alias === undefined) return [name, renamed];
    return [alias, keyword === "properties" && isPlainObject(renamed) ? withName(renamed, name) : renamed];
  });
  return Object.fromEntries(entries);
}

function withName(schema: JsonSchema, name: string): JsonSchema {
  const description = ownKeyword(schema, "description");
  const words = `Its name is ${JSON.stringify(name)}.`;
  return { ...schema, description: typeof description === "string" ? `${words} ${description}` : words };
}

/** Renames the keys of a value, such as a default. */
function renameKeys(value: unknown, aliases: ReadonlyMap<string, string>): unknown {
  if (Array.isArray(value)) {
    const items = value.map((item) => renameKeys(item, aliases));
    return inheritDigits(value, items);
  }
  if (!isPlainObject(value)) return value;
  const members = Object.entries(value).map(([name, inner]) => [aliases.get(name) ?? name, renameKeys(inner, aliases)]);
  return inheritDigits(value, Object.fromEntries(members));
}

function renameTexts(value: unknown, aliases: ReadonlyMap<string, string>): unknown {
  if (!Array.isArray(value)) return value;
  return value.map((text: unknown) => (typeof text === "string" ? (aliases.get(text) ?? text) : text));
}
