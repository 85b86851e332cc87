import { isPlainObject, type JsonSchema } from "../../../lib/contract/json";
import { branchLabels } from "../../../lib/schema/describe/branch-labels";
import { asSchema, findReference, ownKeyword } from "../../../lib/schema/resolve-ref";
import { StepBudget } from "../../../lib/schema/step-budget";
import type { SchemaError } from "../ports";

export interface UnionContext {
  /** The validated schema; null where it is not at hand. */
  schema: JsonSchema | null;
  /** Describes one error as a sentence with its path. */
  describe: (error: SchemaError) => string;
}

const MAX_LABEL_CHARS = 80;
const MAX_SENTENCE_CHARS = 300;

/**
 * A union's error follows the errors of its branches, which are noise to the caller. They are replaced by the branch
 * that the value was evidently meant for (it passed that branch's types and constants), else by one sentence that names
 * the branch that fits best and its first fault.
 */
export function foldUnions(errors: readonly SchemaError[], context: UnionContext): SchemaError[] {
  const folded: SchemaError[] = [];
  for (const error of errors) {
    if (error.keyword !== "oneOf" && error.keyword !== "anyOf") {
      folded.push(error);
      continue;
    }
    const branchErrors = takeBranchErrors(folded, error);
    if (Array.isArray(error.params.passingSchemas)) {
      folded.push({ ...error, message: "must match exactly one of the allowed schemas, but matches several" });
    } else {
      folded.push(...explainUnion(error, branchErrors, context));
    }
  }
  return folded.filter((error) => error.keyword !== "if");
}

function takeBranchErrors(folded: SchemaError[], union: SchemaError): SchemaError[] {
  const taken: SchemaError[] = [];
  for (let last = folded.at(-1); last !== undefined; last = folded.at(-1)) {
    const inside = last.instancePath === union.instancePath || last.instancePath.startsWith(`${union.instancePath}/`);
    // A branch that is a reference reports under its target; what stands beside the union does not.
    const ofBranch = last.schemaPath.startsWith(`${union.schemaPath}/`) || REFERENCED.test(last.schemaPath);
    if (!inside || !ofBranch) break;
    folded.pop();
    taken.push(last);
  }
  return taken.reverse();
}

const REFERENCED = /^(?:#\/(?:\$defs|definitions)\/|[^#])/;

function explainUnion(union: SchemaError, branchErrors: SchemaError[], context: UnionContext): SchemaError[] {
  const atUnion = branchErrors.filter((error) => error.instancePath === union.instancePath);
  if (branchErrors.length > 0 && atUnion.length === branchErrors.length && atUnion.every((e) => e.keyword === "type")) {
    const types = [...new Set(atUnion.flatMap((error) => error.params.type as string | string[]))];
    return [{ ...union, keyword: "type", params: { type: types } }];
  }
  const written = unionBranches(union.schemaPath, context.schema);
  const branches = groupByBranch(union, branchErrors, written, context.schema);
  const meant = [...branches.values()].filter((branch) => !branch.some((e) => isMismatch(e, union.instancePath)));
  if (meant.length === 1 && meant[0]) return meant[0];
  return foldDiscriminator(union, branchErrors) ?? [closestBranch(union, branches, written, context)];
}

/** The branches of a union as they are written; empty where its place cannot be found. */
function unionBranches(schemaPath: string, schema: JsonSchema | null): readonly unknown[] {
  let node: unknown = schema;
  for (const token of schemaPath.split("/").slice(1)) {
    if (Array.isArray(node)) node = node[Number(token)];
    else if (!isPlainObject(node)) return [];
    // A `oneOf` that is closed, or differs by format, is validated as `anyOf`.
    else node = ownKeyword(node, token) ?? (token === "anyOf" ? ownKeyword(node, "oneOf") : undefined);
  }
  return Array.isArray(node) ? node : [];
}

/**
 * Which errors are of which branch, by number. Errors come branch by branch; one from behind a reference names only the
 * definition it is in, so it is of the next branch that leads there.
 */
function groupByBranch(
  union: SchemaError,
  errors: readonly SchemaError[],
  written: readonly unknown[],
  schema: JsonSchema | null,
): Map<string, SchemaError[]> {
  const budget = new StepBudget(MAX_STEPS);
  const places = schema === null ? [] : written.map((branch) => reachablePlaces(branch, schema, budget));
  const groups = new Map<string, SchemaError[]>();
  let current = 0;
  for (const error of errors) {
    const inline = error.schemaPath.startsWith(`${union.schemaPath}/`);
    if (inline) current = Number(error.schemaPath.slice(union.schemaPath.length + 1).split("/")[0]);
    else {
      const leads = places.findIndex((of, index) => index >= current && leadsTo(of, error.schemaPath));
      if (leads !== -1) current = leads;
    }
    const key = inline || places.length > 0 ? String(current) : error.schemaPath.split("/").slice(0, 3).join("/");
    groups.set(key, [...(groups.get(key) ?? []), error]);
  }
  return groups;
}

function leadsTo(places: ReadonlySet<string>, schemaPath: string): boolean {
  const tokens = schemaPath.split("/");
  return tokens.some((_, length) => places.has(tokens.slice(0, length + 1).join("/")));
}

/** Schemas that the branches of one union lead to. */
const MAX_STEPS = 10_000;

/** The places that the references of a branch lead to, directly or through others. */
function reachablePlaces(branch: unknown, root: JsonSchema, budget: StepBudget): ReadonlySet<string> {
  const places = new Set<string>();
  const pending: unknown[] = [branch];
  const seen = new Set<unknown>();
  while (pending.length > 0 && budget.spend()) {
    const node = pending.pop();
    if (typeof node !== "object" || node === null || seen.has(node)) continue;
    seen.add(node);
    if (isPlainObject(node)) {
      const reference = findReference(node, root);
      if (reference !== null) places.add(decoded(reference.text));
      pending.push(reference?.target);
    }
    for (const inner of Object.values(node)) if (typeof inner === "object") pending.push(inner);
  }
  return places;
}

/** A reference as places are written: not escaped. */
function decoded(ref: string): string {
  try {
    return decodeURIComponent(ref).replaceAll("~1", "/").replaceAll("~0", "~");
  } catch {
    return ref;
  }
}

function closestBranch(
  union: SchemaError,
  branches: ReadonlyMap<string, SchemaError[]>,
  written: readonly unknown[],
  context: UnionContext,
): SchemaError {
  let best: { key: string; errors: SchemaError[]; score: number } | null = null;
  for (const [key, errors] of branches) {
    const score = errors.reduce((sum, error) => sum + weighError(error, union.instancePath), 0);
    if (best === null || score < best.score) best = { key, errors, score };
  }
  const [first] = best?.errors ?? [];
  if (best === null || first === undefined) return { ...union, message: "matches none of the allowed schemas" };
  const fault = cut(context.describe(first), MAX_SENTENCE_CHARS);
  const label = cut(formatLabel(best.key, written, context.schema), MAX_LABEL_CHARS);
  return { ...union, message: `matches none of the allowed schemas; closest is ${label}: ${fault}` };
}

/** Weighs the evidence against a branch: another type most, then another constant, then missing or wrong content. */
function weighError(error: SchemaError, unionPath: string): number {
  if (isMismatch(error, unionPath)) return error.keyword === "type" ? 100 : 20;
  return error.keyword === "required" ? 2 : 1;
}

function formatLabel(key: string, written: readonly unknown[], schema: JsonSchema | null): string {
  const index = Number(key);
  if (!Number.isInteger(index)) return key.slice(key.lastIndexOf("/") + 1);
  const label = schema === null ? undefined : branchLabels(written.map(asSchema), schema)[index];
  const name = label?.replace(/ \(\d+\)$/, "");
  return name === undefined || name === "any" ? `form ${index + 1}` : `${name} (form ${index + 1})`;
}

function cut(text: string, maxChars: number): string {
  return text.length > maxChars ? `${text.slice(0, maxChars)}…` : text;
}

/** When every branch refused the same property by constant or enum, that property's options are the message. */
function foldDiscriminator(union: SchemaError, branchErrors: SchemaError[]): SchemaError[] | null {
  const choices = branchErrors.filter((error) => error.keyword === "const" || error.keyword === "enum");
  const places = new Set(choices.map((error) => error.instancePath));
  const [place] = places;
  if (places.size !== 1 || place === undefined) return null;
  const allowedValues = choices.flatMap((error) =>
    error.keyword === "const" ? [error.params.allowedValue] : (error.params.allowedValues as unknown[]),
  );
  return [{ ...union, instancePath: place, keyword: "enum", params: { allowedValues } }];
}

function isMismatch(error: SchemaError, unionPath: string): boolean {
  if (error.keyword === "type") return error.instancePath === unionPath;
  const depth = error.instancePath.slice(unionPath.length).split("/").length - 1;
  return (error.keyword === "const" || error.keyword === "enum") && depth <= 1;
}
