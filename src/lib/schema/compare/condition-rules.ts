import { isPlainObject, type JsonSchema } from "../../contract/json";
import { ownKeyword, ownMap, REFERENCE_KEYWORDS } from "../resolve-ref";
import { type Meeting, otherSide, type Prover } from "./prover";

/** The keywords on which it depends what of a value is evaluated. */
export const EVALUATING = [
  "properties",
  "patternProperties",
  "additionalProperties",
  "unevaluatedProperties",
  "dependentSchemas",
  "items",
  "prefixItems",
  "additionalItems",
  "contains",
  "unevaluatedItems",
  "dependencies",
  "allOf",
  "anyOf",
  "oneOf",
  "not",
  "if",
  "then",
  "else",
  ...REFERENCE_KEYWORDS,
];
/** `if` of the outer schema: what may meet the condition fits `then`, and what may miss it fits `else`. */
export function impliesCondition(prover: Prover, inner: Meeting, outer: JsonSchema): boolean {
  // Without `if` the other keywords refuse nothing.
  if (!Object.hasOwn(outer, "if")) return true;
  const { atoms, side } = inner;
  const met = prover.meet([outer.if], otherSide(side));
  const isNever = met === null || prover.isDisjoint(inner, met);
  if (!isNever && !prover.contains(atoms, side, ownKeyword(outer, "then") ?? true)) return false;
  return (
    prover.contains(atoms, side, ownKeyword(outer, "else") ?? true) ||
    prover.contains(atoms, side, outer.if, { strict: true })
  );
}

export function impliesDependentRequired(prover: Prover, inner: Meeting, outer: JsonSchema): boolean {
  const { dependentRequired } = outer;
  if (!isPlainObject(dependentRequired)) return false;
  return Object.entries(dependentRequired).every(([name, needed]) => {
    const having = meetHaving(prover, inner, name);
    const demanded = inner.atoms.flatMap((atom) => ownKeyword(ownMap(atom, "dependentRequired"), name) ?? []);
    const known = new Set<unknown>([name, ...inner.facts.required, ...demanded]);
    return (
      having?.facts.types.has("object") !== true || (Array.isArray(needed) && needed.every((each) => known.has(each)))
    );
  });
}

export function impliesDependentSchemas(prover: Prover, inner: Meeting, outer: JsonSchema): boolean {
  const { dependentSchemas } = outer;
  if (!isPlainObject(dependentSchemas)) return false;
  return Object.entries(dependentSchemas).every(([name, schema]) => {
    const having = meetHaving(prover, inner, name);
    return having === null || prover.contains(having.atoms, inner.side, schema);
  });
}

/** The objects of the meeting that have the property; null where there are none. */
function meetHaving(prover: Prover, { atoms, side }: Meeting, name: string): Meeting | null {
  const demanded = atoms.flatMap((atom) => ownKeyword(ownMap(atom, "dependentSchemas"), name) ?? []);
  return prover.meet([...atoms, ...demanded, prover.make({ type: "object", required: [name] })], side);
}

/** `contains` with its least and greatest count; older dialects know neither. */
export function impliesContains(prover: Prover, inner: Meeting, outer: JsonSchema): boolean {
  if (!Object.hasOwn(outer, "contains")) return true;
  const { side, atoms, facts } = inner;
  const isModern = prover.isModern(side);
  const count = (schema: JsonSchema): number => (isModern ? Number(ownKeyword(schema, "minContains") ?? 1) : 1);
  const least = count(outer);
  const most = isModern ? ownKeyword(outer, "maxContains") : undefined;
  const hasEnough =
    least <= 0 ||
    atoms.some(
      (atom) =>
        Object.hasOwn(atom, "contains") &&
        count(atom) >= least &&
        prover.contains([atom.contains], side, outer.contains, { inside: true }),
    ) ||
    ((facts.bounds.get("minItems") ?? 0) >= least &&
      prover.contains(atoms, side, prover.make({ items: outer.contains })));
  return hasEnough && (most === undefined || hasAtMost(prover, inner, outer, Number(most)));
}

function hasAtMost(prover: Prover, { side, atoms, facts }: Meeting, outer: JsonSchema, most: number): boolean {
  if ((facts.bounds.get("maxItems") ?? Number.POSITIVE_INFINITY) <= most) return true;
  return atoms.some(
    (atom) =>
      Object.hasOwn(atom, "contains") &&
      Number(ownKeyword(atom, "maxContains") ?? Number.POSITIVE_INFINITY) <= most &&
      prover.contains([outer.contains], otherSide(side), atom.contains, { inside: true, strict: true }),
  );
}
