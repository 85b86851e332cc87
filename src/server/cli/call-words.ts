import { isPlainObject, type JsonSchema, readOwn } from "../../lib/contract/json";
import { findValueEnd, skipSpace, walkMembers } from "../../lib/json/json-text";
import { effectiveSchema } from "../../lib/schema/effective-schema";
import { readNumber } from "../../lib/schema/json-number";
import { describeField, type Field } from "../../lib/schema/list-fields";
import { asSchema, ownKeyword, ownMap, type SchemaNode } from "../../lib/schema/resolve-ref";
import { usageError } from "./command-error";

/** Options of `call` that may stand behind the tool, where it has no field of the name. */
const FLAGS = ["json", "no-wait", "help"] as const;
type Flag = (typeof FLAGS)[number];

export interface CallWords {
  /** JSON as typed, `@file` or `-`; null for none. */
  payload: string | null;
  /** Words by field, in the order of each field's first word. */
  fields: Map<string, string[]>;
  flags: Set<Flag>;
}

/**
 * Sorts the words behind a tool's name into JSON and fields. A field is `--name value`, `--name=value`, or `--name` alone for
 * a boolean. @throws CommandError that names the word
 */
export function sortCallWords(words: readonly string[], schema: JsonSchema): CallWords {
  const sorted: CallWords = { payload: null, fields: new Map(), flags: new Set() };
  for (let at = 0; at < words.length; at += 1) {
    const word = words[at] ?? "";
    const [, name, joined] = /^--([^=]+)(?:=([\s\S]*))?$/.exec(word) ?? [];
    if (name === undefined) {
      if (sorted.payload !== null)
        throw usageError(
          `"${word}" is one word too many: give the arguments as one JSON object, or each as --field value.`,
        );
      sorted.payload = word;
      continue;
    }
    const isField = hasField(schema, name);
    const flag = FLAGS.find((each) => each === name);
    if (!isField && flag !== undefined && joined === undefined) {
      sorted.flags.add(flag);
      continue;
    }
    const next = words[at + 1];
    const isBare = joined === undefined && isEndOfField(next) && takesBoolean(schema, name);
    if (!isBare && joined === undefined && (next === undefined || next.startsWith("--"))) {
      throw usageError(`--${name} needs a value.`, `For a value that begins with --, write --${name}=value.`);
    }
    const value = joined ?? (isBare ? "true" : (next ?? ""));
    if (joined === undefined && !isBare) at += 1;
    sorted.fields.set(name, [...(sorted.fields.get(name) ?? []), value]);
  }
  return sorted;
}

/** Whether a word cannot be the value of a boolean that stands before it. */
const isEndOfField = (word: string | undefined): boolean => word === undefined || /^(?:--|[{@]|-$)/.test(word);

/**
 * The JSON text of a call's arguments: the payload as typed, with the fields behind its members.
 * @throws CommandError that names the field
 */
export function composeArguments(payload: string | null, fields: CallWords["fields"], schema: JsonSchema): string {
  const text = payload === null || payload.trim() === "" ? "{}" : payload.trim();
  const known = listKeys(text);
  const members = Array.from(fields, ([name, values]) => {
    if (known.has(name)) throw usageError(`"${name}" is given twice: in the JSON and as --${name}.`);
    return `${JSON.stringify(name)}:${toJsonText(name, values, schema)}`;
  });
  if (members.length === 0) return text;
  const inside = text.slice(1, -1);
  return `{${inside}${inside.trim() === "" ? "" : ","}${members.join(",")}}`;
}

/** @throws CommandError for a text that is not a JSON object */
function listKeys(text: string): Set<string> {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw usageError(
      `The arguments are not JSON: ${error instanceof Error ? error.message : error}.`,
      // Windows PowerShell takes the quotes out of an object that is a word.
      "Write fields such as --location Oslo, or give the object in a file, '@arguments.json', or on stdin, -.",
    );
  }
  if (!isPlainObject(value)) throw usageError("The arguments must be a JSON object.");
  const keys = new Set<string>();
  walkMembers(text, skipSpace(text, 0), (quoted, start) => {
    keys.add(JSON.parse(quoted) as string);
    return findValueEnd(text, start);
  });
  return keys;
}

function findField(schema: JsonSchema, name: string): SchemaNode | null {
  const { schema: root } = effectiveSchema(schema, schema);
  const properties = ownMap(root, "properties");
  return Object.hasOwn(properties, name) ? asSchema(readOwn(properties, name)) : null;
}

const hasField = (schema: JsonSchema, name: string): boolean => findField(schema, name) !== null;

function takesBoolean(schema: JsonSchema, name: string): boolean {
  const node = findField(schema, name);
  return node !== null && describeField(node, schema).types.includes("boolean");
}

function toJsonText(name: string, values: readonly string[], schema: JsonSchema): string {
  const node = findField(schema, name) ?? findOpenField(schema, name);
  const field = describeField(node, schema);
  const [value = ""] = values;
  if (field.types.includes("array") && (values.length > 1 || !value.trim().startsWith("["))) {
    const item = describeField(field.items, schema);
    return `[${values.map((each) => toScalarText(name, each, item)).join(",")}]`;
  }
  if (values.length > 1) throw usageError(`--${name} is given ${values.length} times, and takes one value.`);
  return toScalarText(name, value, field);
}

/** The schema of a field that the tool does not name. @throws CommandError where it takes only those that it names */
function findOpenField(schema: JsonSchema, name: string): SchemaNode {
  const { schema: root } = effectiveSchema(schema, schema);
  const names = Object.keys(ownMap(root, "properties"));
  const others = ownKeyword(root, "additionalProperties");
  if (others === true || isPlainObject(others)) return asSchema(others);
  if (names.length === 0 && others !== false) return true;
  if (Object.keys(ownMap(root, "patternProperties")).length > 0) return true;
  const hint = names.length === 0 ? "it has none" : `it has ${names.map((each) => `--${each}`).join(", ")}`;
  throw usageError(`The tool has no field "${name}": ${hint}.`);
}

function toScalarText(name: string, word: string, { types, nullable, values }: Field): string {
  const text = word.trim();
  if (nullable && text === "null") return "null";
  const named = values.find((value) => value === word || (typeof value !== "string" && JSON.stringify(value) === text));
  if (named !== undefined) return JSON.stringify(named);
  if (types.includes("string") || types.length === 0) return JSON.stringify(word);
  const isJson = isJsonOf(text, types);
  if (isJson) return text;
  throw usageError(`--${name} must be ${describeTypes(types)}, and is ${JSON.stringify(word.slice(0, 80))}.`);
}

function isJsonOf(text: string, types: readonly string[]): boolean {
  if (types.includes("boolean") && (text === "true" || text === "false")) return true;
  const number = readNumber(text);
  if (number !== null) return types.includes("number") || (types.includes("integer") && Number.isInteger(number));
  if (!types.includes("object") && !types.includes("array")) return false;
  try {
    const value: unknown = JSON.parse(text);
    return Array.isArray(value) ? types.includes("array") : isPlainObject(value) && types.includes("object");
  } catch {
    return false;
  }
}

const TYPE_WORDS: Record<string, string> = {
  number: "a number",
  integer: "an integer",
  boolean: "true or false",
  object: "a JSON object",
  array: "a JSON array",
};

function describeTypes(types: readonly string[]): string {
  return [...new Set(types)].map((type) => TYPE_WORDS[type] ?? type).join(" or ");
}
