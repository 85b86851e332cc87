import type { JsonSchema } from "../../contract/json";
import { canonicalJson } from "../../json/canonical-json";
import { ownKeyword } from "../resolve-ref";
import { type ChangeList, shorten } from "./change-list";

export interface SchemaPair {
  before: JsonSchema;
  after: JsonSchema;
  /** What is compared, as sentences name it: `parameter 'path'`. */
  name: string;
  changes: ChangeList;
}

const ALL_TYPES = ["string", "number", "boolean", "object", "array", "null"] as const;

/** The types that a schema takes, `integer` where not every number is; null where it does not say. */
function typesOf(schema: JsonSchema): string[] | null {
  const type = ownKeyword(schema, "type");
  const listed = Array.isArray(type) ? type : [type];
  const known = listed.filter((each): each is string => [...ALL_TYPES, "integer"].includes(each));
  return known.length === 0 ? null : [...new Set(known)].sort();
}

function nameTypes(types: readonly string[] | null): string {
  return types?.join(" or ") ?? "any type";
}

function takes(types: readonly string[], type: string): boolean {
  return types.includes(type) || (type === "integer" && types.includes("number"));
}

/** Types of what is sent to a tool: fewer are breaking. */
export function compareTypes({ before, after, name, changes }: SchemaPair): void {
  const [former, present] = [typesOf(before), typesOf(after)];
  const sentence = `${name} now takes ${nameTypes(present)}, formerly ${nameTypes(former)}`;
  const [had, has] = [former ?? ALL_TYPES, present ?? ALL_TYPES];
  if (had.some((type) => !takes(has, type))) changes.add("breaking", sentence);
  else if (has.some((type) => !takes(had, type))) changes.add("additive", sentence);
}

/** Types of a result: a reader has to handle each added one. */
export function compareAnsweredTypes({ before, after, name, changes }: SchemaPair): void {
  const [former, present] = [typesOf(before), typesOf(after)];
  if (canonicalJson(former) === canonicalJson(present)) return;
  const narrower = present?.every((type) => takes(former ?? ALL_TYPES, type)) ?? false;
  changes.add(
    narrower ? "additive" : "breaking",
    `${name} is now ${nameTypes(present)}, formerly ${nameTypes(former)}`,
  );
}

/** `enum` and `const`, as JSON texts; null where any value will do. */
function allowedValues(schema: JsonSchema): Set<string> | null {
  const values = ownKeyword(schema, "enum");
  if (Object.hasOwn(schema, "const")) return new Set([canonicalJson(schema.const)]);
  return Array.isArray(values) ? new Set(values.map(canonicalJson)) : null;
}

function listValues(values: readonly string[]): string {
  const shown = values.slice(0, 5).map(shorten).join(", ");
  return values.length > 5 ? `${shown} and ${values.length - 5} more` : shown;
}

export function compareAllowedValues({ before, after, name, changes }: SchemaPair): void {
  const [former, present] = [allowedValues(before), allowedValues(after)];
  if (former === null && present === null) return;
  if (former === null) {
    changes.add("breaking", `${name} is now limited to ${listValues([...(present ?? [])])}`);
    return;
  }
  if (present === null) {
    changes.add("additive", `${name} is no longer limited to ${listValues([...former])}`);
    return;
  }
  const gone = [...former].filter((value) => !present.has(value));
  const come = [...present].filter((value) => !former.has(value));
  if (gone.length > 0) changes.add("breaking", `${name} no longer takes ${listValues(gone)}`);
  if (come.length > 0) changes.add("additive", `${name} now also takes ${listValues(come)}`);
}

/** A reader of the result does not know an added value; a removed one breaks nothing. */
export function compareAnsweredValues({ before, after, name, changes }: SchemaPair): void {
  const [former, present] = [allowedValues(before), allowedValues(after)];
  const text = (values: Set<string> | null): string => (values === null ? "any value" : listValues([...values]));
  const same = canonicalJson([...(former ?? [])].sort()) === canonicalJson([...(present ?? [])].sort());
  if (!same || (former === null) !== (present === null)) {
    changes.add("additive", `${name} is now ${text(present)}, formerly ${text(former)}`);
  }
}

const LOWER_BOUNDS = ["minimum", "exclusiveMinimum", "minLength", "minItems", "minProperties", "minContains"];
const UPPER_BOUNDS = ["maximum", "exclusiveMaximum", "maxLength", "maxItems", "maxProperties", "maxContains"];

/** Bounds, patterns and formats of what is sent. */
export function compareBounds({ before, after, name, changes }: SchemaPair): void {
  const numberAt = (schema: JsonSchema, keyword: string): number | null => {
    const value = ownKeyword(schema, keyword);
    return typeof value === "number" ? value : null;
  };
  const bound = (keyword: string, tightest: number, isTighter: (was: number, is: number) => boolean): void => {
    const [was, is] = [numberAt(before, keyword), numberAt(after, keyword)];
    if (was === is) return;
    const sentence = `${name}: ${keyword} is now ${is ?? "gone"}, formerly ${was ?? "none"}`;
    changes.add(isTighter(was ?? tightest, is ?? tightest) ? "breaking" : "additive", sentence);
  };
  for (const keyword of LOWER_BOUNDS) bound(keyword, Number.NEGATIVE_INFINITY, (was, is) => is > was);
  for (const keyword of UPPER_BOUNDS) bound(keyword, Number.POSITIVE_INFINITY, (was, is) => is < was);
  const [was, is] = [numberAt(before, "multipleOf"), numberAt(after, "multipleOf")];
  if (was !== is) {
    const wider = is === null || (was !== null && was % is === 0);
    changes.add(
      wider ? "additive" : "breaking",
      `${name}: multipleOf is now ${is ?? "gone"}, formerly ${was ?? "none"}`,
    );
  }
  for (const keyword of ["pattern", "format", "uniqueItems"]) {
    const [former, present] = [ownKeyword(before, keyword) || null, ownKeyword(after, keyword) || null];
    if (canonicalJson(former) === canonicalJson(present)) continue;
    const shown = shorten(canonicalJson(present));
    if (present === null) changes.add("additive", `${name}: ${keyword} is gone`);
    else changes.add("breaking", `${name} may no longer take what it did: ${keyword} is now ${shown}`);
  }
}
