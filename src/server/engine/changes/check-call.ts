import type { TrafficClass } from "../../../lib/contract/change-verdict";
import { isPlainObject, type JsonSchema } from "../../../lib/contract/json";
import { canonicalJson } from "../../../lib/json/canonical-json";
import { childPointer, isWithin, parsePointer } from "../../../lib/json/json-pointer";
import { hasMask } from "../../../lib/masked-value";
import { ownMap } from "../../../lib/schema/resolve-ref";
import type { SchemaError } from "../ports";
import { toFaults } from "../validation/argument-faults";
import { decidingSchema } from "../validation/validate-arguments";
import { createLossFinder } from "./described-parts";
import type { ChangedEntries, CheckedCall, RecordedCall } from "./traffic-ports";

const MAX_REASONS = 3;
const MAX_MASKS = 200;
const MAX_DEPTH = 200;
const MAX_KEYS = 5_000;
const HIDDEN = "[redacted]";

/** Gives null for a valid value, else its errors. */
export type Check = (value: unknown) => readonly SchemaError[] | null;

interface Side {
  schema: JsonSchema | null;
  check: Check;
}

/** Checks recorded calls of one tool by a change of it. The schemas are read as their server may read them: as written. */
export function createCallCheck(
  { before, after }: ChangedEntries,
  compile: (schema: JsonSchema) => Check,
): (call: RecordedCall) => CheckedCall {
  const former = toSide(before, compile);
  const present = toSide(after, compile);
  const findIgnored = present.schema === null ? null : createLossFinder(former.schema, present.schema);
  const findLost = createLossFinder(readSchema(before, "outputSchema"), readSchema(after, "outputSchema"));
  const isGone = after === undefined;
  const names = new Set([...listNames(former.schema), ...listNames(present.schema)]);
  const masked = createMaskedCheck(former, present);

  return ({ argumentsText, resultText, wasRefused }) => {
    const fields = resultText === null || findLost === null || isGone ? null : readLost(resultText, findLost);
    const value = parse(argumentsText);
    if (value === undefined) return { class: "alreadyInvalid", reasons: [], ignored: [], fields };
    if (isGone) {
      const gone = { reason: "the tool is gone", path: "" };
      return wasRefused
        ? { class: "alreadyInvalid", reasons: [], ignored: [], fields: null }
        : { class: "rejected", reasons: [gone], ignored: [], fields: null };
    }
    const masks = argumentsText.includes(HIDDEN) || hasMask(argumentsText) ? findHidden(value) : [];
    const errors = present.check(value);
    const checked =
      masks !== null && masks.length === 0
        ? { class: checkPlain(errors, former, value), errors: errors ?? [] }
        : masked(value, masks, errors ?? [], wasRefused);
    const reasons = checked.class === "rejected" ? toReasons(checked.errors, present.schema, names) : [];
    const ignored = checked.class === "accepted" ? (findIgnored?.(value) ?? []) : [];
    return { class: checked.class, reasons, ignored, fields };
  };
}

function checkPlain(errors: readonly SchemaError[] | null, former: Side, value: unknown): TrafficClass {
  if (errors === null) return "accepted";
  return former.check(value) === null ? "rejected" : "alreadyInvalid";
}

function toSide(entry: unknown, compile: (schema: JsonSchema) => Check): Side {
  const parameters = readSchema(entry, "inputSchema");
  if (parameters === null) return { schema: null, check: () => null };
  const schema = decidingSchema({ implementation: { type: "mcp", server: "", tool: "" }, parameters });
  try {
    return { schema, check: compile(schema) };
  } catch {
    // Toolroom never checks such a schema.
    return { schema: null, check: () => null };
  }
}

function readSchema(entry: unknown, key: "inputSchema" | "outputSchema"): JsonSchema | null {
  const schema = isPlainObject(entry) && Object.hasOwn(entry, key) ? entry[key] : undefined;
  return isPlainObject(schema) ? schema : null;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

function readLost(resultText: string, findLost: (value: unknown) => string[]): string[] | null {
  const result = parse(resultText);
  const content = isPlainObject(result) ? result.structuredContent : undefined;
  return isPlainObject(content) || Array.isArray(content) ? findLost(content) : null;
}

/** Pointers of the values that are or contain a mask; null for more than can be followed. */
function findHidden(value: unknown): string[] | null {
  const found: string[] = [];
  const pending: [value: unknown, pointer: string, depth: number][] = [[value, "", 0]];
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    const [part, pointer, depth] = next;
    if (found.length > MAX_MASKS || depth > MAX_DEPTH) return null;
    if (typeof part === "string") {
      if (part.includes(HIDDEN) || hasMask(part)) found.push(pointer);
    } else if (typeof part === "object" && part !== null) {
      for (const [key, member] of Object.entries(part)) pending.push([member, childPointer(pointer, key), depth + 1]);
    }
  }
  return found;
}

/** Keywords that look at the names or the number of members, not at their values. */
const ABOUT_NAMES: ReadonlySet<string> = new Set([
  "required",
  "additionalProperties",
  "propertyNames",
  "minProperties",
  "maxProperties",
  "minItems",
  "maxItems",
  "dependentRequired",
  "dependencies",
  "additionalItems",
]);
/** Keywords in which an error need not make the whole value invalid. */
const CONDITIONAL = /\/(?:anyOf|oneOf|not|if|then|else|contains|dependentSchemas|unevaluated\w+)(?:\/|$)/;
const SHARED = /\/(?:\$defs|definitions)\//;
/** Keywords of a schema around a masked value that say nothing about that value. */
const HARMLESS: ReadonlySet<string> = new Set([
  "type",
  "properties",
  "required",
  "additionalProperties",
  "title",
  "description",
  "default",
  "examples",
  "$schema",
  "$id",
  "$comment",
  "minProperties",
  "maxProperties",
  "propertyNames",
]);

type MaskedCheck = (
  value: unknown,
  masks: string[] | null,
  errors: readonly SchemaError[],
  wasRefused: boolean,
) => { class: TrafficClass; errors: readonly SchemaError[] };

/**
 * Checks calls with masked values. A rejection has a cause that no value in place of a mask could remove; an acceptance
 * needs that both schemas say the same about what is masked.
 */
function createMaskedCheck(former: Side, present: Side): MaskedCheck {
  const conditional = [former, present].map(({ schema }) => schema !== null && hasConditions(schema));
  const alike = new Map<string, boolean>();

  const isSame = (pointer: string): boolean => {
    const known = alike.get(pointer);
    if (known !== undefined) return known;
    const was = readPart(former.schema, pointer);
    const is = readPart(present.schema, pointer);
    const same = was !== null && was === is;
    if (alike.size < MAX_KEYS) alike.set(pointer, same);
    return same;
  };
  const decides = (error: SchemaError, masks: readonly string[], side: 0 | 1): boolean => {
    const isConditional =
      CONDITIONAL.test(error.schemaPath) || (conditional[side] === true && SHARED.test(error.schemaPath));
    if (isConditional) return false;
    if (error.keyword === "false schema") return true;
    const { instancePath } = error;
    if (masks.some((mask) => isWithin(instancePath, mask))) return false;
    return (
      ABOUT_NAMES.has(error.keyword) || error.keyword === "type" || !masks.some((mask) => isWithin(mask, instancePath))
    );
  };

  return (value, masks, errors, wasRefused) => {
    if (masks === null) return { class: "undecidable", errors: [] };
    const sure = errors.filter((error) => decides(error, masks, 1));
    if (sure.length > 0) {
      const before = former.check(value)?.filter((error) => decides(error, masks, 0)) ?? [];
      return { class: before.length > 0 || wasRefused ? "alreadyInvalid" : "rejected", errors: sure };
    }
    const open = errors.filter(({ instancePath }) => !masks.some((mask) => isWithin(instancePath, mask)));
    const isAccepted = open.length === 0 && masks.every(isSame);
    return { class: isAccepted ? "accepted" : "undecidable", errors: [] };
  };
}

/** The schema of a part that plain properties lead to, as text; null where other keywords have a say. */
function readPart(schema: JsonSchema | null, pointer: string): string | null {
  if (schema === null) return "unchecked";
  let part: unknown = schema;
  for (const token of parsePointer(pointer)) {
    if (
      !isPlainObject(part) ||
      Object.keys(part).some((keyword) => !HARMLESS.has(keyword) && !/^(\$defs|definitions)$/.test(keyword))
    )
      return null;
    const properties = ownMap(part, "properties");
    if (!Object.hasOwn(properties, token)) return null;
    part = properties[token];
  }
  const text = canonicalJson(part);
  return text.includes('"$ref"') || text.includes('"$dynamicRef"') ? null : text;
}

function hasConditions(schema: JsonSchema): boolean {
  return /"(?:anyOf|oneOf|not|if|contains|dependentSchemas|unevaluated\w+)":/.test(JSON.stringify(schema));
}

/** The first errors as sentences. A name that no schema has is not repeated: it may be a value of a caller. */
function toReasons(errors: readonly SchemaError[], schema: JsonSchema | null, names: ReadonlySet<string>) {
  const found = new Map<string, { reason: string; path: string }>();
  for (const fault of toFaults(errors, schema)) {
    if (found.size >= MAX_REASONS) break;
    const { keyword } = fault;
    const extra = errors.find((error) => error.keyword === keyword && error.instancePath === fault.pointer)?.params;
    const unknown = extra?.additionalProperty ?? extra?.unevaluatedProperty;
    const pointer = typeof unknown === "string" ? childPointer(fault.pointer, unknown) : fault.pointer;
    const path = toKnownPath(pointer, names);
    const subject = path === "" ? "the arguments" : `\`${path}\``;
    const reason =
      keyword === "required"
        ? `${subject} became required`
        : typeof unknown === "string"
          ? `${path.endsWith("*") ? "an undefined parameter" : subject} is no longer accepted`
          : `${subject} ${fault.message}`;
    found.set(reason, { reason, path });
  }
  return [...found.values()];
}

function toKnownPath(pointer: string, names: ReadonlySet<string>): string {
  let path = "";
  for (const token of parsePointer(pointer)) {
    const segment = names.has(token) ? token : /^\d+$/.test(token) ? "[]" : "*";
    path = path === "" ? segment : segment === "[]" ? `${path}[]` : `${path}.${segment}`;
  }
  return path;
}

/** Every property name that a schema has anywhere. */
function listNames(schema: JsonSchema | null): Set<string> {
  const names = new Set<string>();
  const pending: unknown[] = [schema];
  let left = MAX_KEYS;
  while (pending.length > 0 && left-- > 0) {
    const node = pending.pop();
    if (typeof node !== "object" || node === null) continue;
    if (isPlainObject(node)) {
      for (const name of Object.keys(ownMap(node, "properties"))) names.add(name);
      if (Array.isArray(node.required)) for (const name of node.required) if (typeof name === "string") names.add(name);
    }
    pending.push(...Object.values(node));
  }
  return names;
}
