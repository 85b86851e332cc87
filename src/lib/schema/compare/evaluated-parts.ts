import { isPlainObject, type JsonSchema } from "../../contract/json";
import { asSchema, ownKeyword, ownList, ownMap, REFERENCE_KEYWORDS } from "../resolve-ref";
import type { Meeting, Prover, Side } from "./prover";

/** Schemas that apply to the same value, of which the names are collected. */
const MAX_PARTS = 200;
const LISTS = ["allOf", "anyOf", "oneOf"];
const SINGLE = ["if", "then", "else"];

/** Whether the schema evaluates each property of an object in every case, so that `unevaluatedProperties` finds none. */
export function evaluatesAllProperties(prover: Prover, schema: JsonSchema, side: Side): boolean {
  return (prover.listAtoms(schema, side) ?? []).some(
    (part) =>
      Object.hasOwn(part, "additionalProperties") || (part !== schema && Object.hasOwn(part, "unevaluatedProperties")),
  );
}

/** Whether a schema evaluates all elements of a list. */
export function evaluatesAllItems(prover: Prover, schema: JsonSchema, side: Side): boolean {
  return (prover.listAtoms(schema, side) ?? []).some(
    (part) =>
      (Object.hasOwn(part, "items") && !Array.isArray(part.items)) ||
      (Array.isArray(part.items) && Object.hasOwn(part, "additionalItems")) ||
      (part !== schema && Object.hasOwn(part, "unevaluatedItems")),
  );
}

/** The names that the schema evaluates in every case. */
export function listEvaluatedNames(prover: Prover, schema: JsonSchema, side: Side): ReadonlySet<string> {
  const parts = prover.listAtoms(schema, side) ?? [];
  return new Set(parts.flatMap((part) => Object.keys(ownMap(part, "properties"))));
}

/** The names of properties that the objects can have; null where they may have any. */
export function listClosedNames(prover: Prover, { atoms, side }: Meeting): ReadonlySet<string> | null {
  for (const atom of atoms) {
    const names = isClosed(atom) ? new Set(Object.keys(ownMap(atom, "properties"))) : null;
    if (names !== null) return names;
    if (!prover.isModern(side) || ownKeyword(atom, "unevaluatedProperties") !== false) continue;
    const evaluated = collectNames(prover, atom, side);
    if (evaluated !== null) return evaluated;
  }
  return null;
}

const hasNoPatterns = (schema: JsonSchema): boolean => Object.keys(ownMap(schema, "patternProperties")).length === 0;

const isClosed = (schema: JsonSchema): boolean =>
  ownKeyword(schema, "additionalProperties") === false && hasNoPatterns(schema);

/** The names that the schema may evaluate in any case; null where they cannot be listed. */
function collectNames(prover: Prover, schema: JsonSchema, side: Side): Set<string> | null {
  const names = new Set<string>();
  const seen = new Set<unknown>();
  const pending: unknown[] = [schema];
  for (let part = pending.pop(); part !== undefined; part = pending.pop()) {
    const each = asSchema(part);
    if (typeof each === "boolean" || seen.has(each)) continue;
    seen.add(each);
    if (seen.size > MAX_PARTS || !hasNoPatterns(each)) return null;
    for (const keyword of ["additionalProperties", "unevaluatedProperties"]) {
      if (Object.hasOwn(each, keyword) && each[keyword] !== false) return null;
    }
    for (const name of Object.keys(ownMap(each, "properties"))) names.add(name);
    if (REFERENCE_KEYWORDS.some((keyword) => Object.hasOwn(each, keyword))) {
      const target = prover.describeTarget(each, side);
      if (target === null) return null;
      pending.push(target);
    }
    for (const keyword of LISTS) pending.push(...ownList(each, keyword));
    for (const keyword of SINGLE) if (Object.hasOwn(each, keyword)) pending.push(each[keyword]);
    pending.push(...Object.values(ownMap(each, "dependentSchemas")).filter(isPlainObject));
    if (Object.hasOwn(each, "dependencies")) return null;
  }
  return names;
}
