import { type ChangeSubject, toRuleId } from "../../contract/change-rules";
import type { ChangeWeight } from "../../contract/change-weight";
import type { JsonSchema } from "../../contract/json";
import { canonicalJson } from "../../json/canonical-json";
import { ownKeyword } from "../resolve-ref";
import { type ChangeList, shorten } from "./change-list";
import { allowedValues, BOUNDS, listTypes } from "./schema-facts";

/** The compared part of both schemas. */
export interface SchemaPair {
  before: JsonSchema;
  after: JsonSchema;
  /** The compared part, as sentences name it: `parameter 'path'`. */
  name: string;
  path: string;
  depth: number;
  changes: ChangeList;
}

type Weight = Exclude<ChangeWeight, "wording">;

/** Adds a change of the pair. */
type Tell = (weight: Weight, subject: ChangeSubject, sentence: string) => void;

/** Reported with both values: they are short and show the change. */
const TOLD = [...Object.values(BOUNDS).flat(), "multipleOf", "pattern", "format", "uniqueItems"];
/** Reported by name: the value is a schema or a list. */
const NAMED = [
  "not",
  "if",
  "then",
  "else",
  "patternProperties",
  "propertyNames",
  "dependencies",
  "dependentRequired",
  "dependentSchemas",
  "contains",
  "minContains",
  "maxContains",
  "unevaluatedItems",
  "unevaluatedProperties",
];
/** Whether more is refused than before follows from the two values; of the others it is only not proven. */
const CERTAIN: ReadonlySet<string> = new Set(Object.values(BOUNDS).flat());

/** Describes what types, values and limits changed. `isHarmless` says that a keyword refuses nothing that has to fit. */
export function describeLimits(pair: SchemaPair, isSent: boolean, isHarmless: (keyword: string) => boolean): void {
  const { before, after, name, path, changes } = pair;
  const tell: Tell = (weight, subject, sentence) =>
    changes.add(weight, sentence, toRuleId(isSent ? "input" : "output", subject, weight), path);
  const weighError = (...keywords: string[]): Weight => (keywords.every(isHarmless) ? "additive" : "breaking");
  describeTypes(pair, isSent, weighError("type"), tell);
  const describeValues = isSent ? describeTakenValues : describeAnsweredValues;
  describeValues(pair, weighError("enum", "const"), tell);
  for (const keyword of [...TOLD, ...NAMED]) {
    const was = readLimit(before, keyword);
    const is = readLimit(after, keyword);
    if (canonicalJson(was) === canonicalJson(is)) continue;
    const weight = weighError(keyword);
    const text = (value: unknown, none: string): string => (value === undefined ? none : shorten(canonicalJson(value)));
    const values = `is now ${text(is, "gone")}, formerly ${text(was, "none")}`;
    const change = NAMED.includes(keyword) ? `'${keyword}' ${describeChange(was, is)}` : `${keyword} ${values}`;
    const doubt = weight === "breaking" && !CERTAIN.has(keyword) ? " may break" : "";
    const subject = NAMED.includes(keyword) ? "condition" : CERTAIN.has(keyword) ? "limit" : getSubject(keyword);
    tell(weight, subject, `${name}${doubt}: ${change}`);
  }
}

const getSubject = (keyword: string): ChangeSubject =>
  keyword === "pattern" || keyword === "format" ? "pattern" : "limit";

/** `uniqueItems: false` and the flags of draft-04 set no limits. */
function readLimit(schema: JsonSchema, keyword: string): unknown {
  const value = ownKeyword(schema, keyword);
  return value === false ? undefined : value;
}

function describeChange(was: unknown, is: unknown): string {
  if (was === undefined) return "was added";
  return is === undefined ? "was removed" : "changed";
}

function describeTypes({ before, after, name }: SchemaPair, isSent: boolean, weight: Weight, tell: Tell): void {
  const former = listTypes(before);
  const present = listTypes(after);
  if (canonicalJson(former) === canonicalJson(present)) return;
  const text = (types: readonly string[] | null): string => types?.join(" or ") ?? "any type";
  tell(weight, "type", `${name} ${isSent ? "now takes" : "is now"} ${text(present)}, formerly ${text(former)}`);
}

function listValues(values: readonly string[]): string {
  const shown = values.slice(0, 5).map(shorten).join(", ");
  return values.length > 5 ? `${shown} and ${values.length - 5} more` : shown;
}

function describeTakenValues({ before, after, name }: SchemaPair, weight: Weight, tell: Tell): void {
  const former = listTexts(before);
  const present = listTexts(after);
  if (former === null && present === null) return;
  if (former === null) tell(weight, "values", `${name} is now limited to ${listValues(present ?? [])}`);
  else if (present === null) tell("additive", "values", `${name} is no longer limited to ${listValues(former)}`);
  else {
    const gone = former.filter((value) => !present.includes(value));
    const come = present.filter((value) => !former.includes(value));
    if (gone.length > 0) tell(weight, "values", `${name} no longer takes ${listValues(gone)}`);
    if (come.length > 0) tell("additive", "values", `${name} now also takes ${listValues(come)}`);
  }
}

function describeAnsweredValues({ before, after, name }: SchemaPair, weight: Weight, tell: Tell): void {
  const former = listTexts(before);
  const present = listTexts(after);
  if (canonicalJson(former && [...former].sort()) === canonicalJson(present && [...present].sort())) return;
  const text = (values: string[] | null): string => (values === null ? "any value" : listValues(values));
  tell(weight, "values", `${name} is now ${text(present)}, formerly ${text(former)}`);
}

function listTexts(schema: JsonSchema): string[] | null {
  const values = allowedValues(schema);
  return values && [...values.keys()];
}
