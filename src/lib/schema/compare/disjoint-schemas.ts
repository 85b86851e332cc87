import { commonTypes } from "../keywords";
import { ownKeyword } from "../resolve-ref";
import { schemasOfProperty } from "./keyword-rules";
import type { Meeting, Prover } from "./prover";
import { keepsBound } from "./schema-facts";

/** The nested objects whose members distinguish them. */
const MAX_LEVELS = 3;

/** Whether no value belongs to both: other types, values or numbers, or a property that both have and that tells them apart. */
export function areDisjoint(prover: Prover, one: Meeting, other: Meeting, level = 0): boolean {
  const types = commonTypes(one.facts.types, other.facts.types);
  if (types.size === 0) return true;
  const left = one.facts.values;
  const right = other.facts.values;
  if (left !== null && right !== null && ![...left.keys()].some((text) => right.has(text))) return true;
  const [only] = [...types];
  if (types.size === 1 && only === "object" && haveDisjointProperty(prover, one, other, level)) return true;
  if ((only === "number" || only === "integer") && (excludes(one, other) || excludes(other, one))) {
    if ([...types].every((type) => type === "number" || type === "integer")) return true;
  }
  return (
    level < MAX_LEVELS &&
    (haveDisjointChoice(prover, one, other, level) || haveDisjointChoice(prover, other, one, level))
  );
}

/** Whether every number of the first is below all of the second. */
function excludes({ facts }: Meeting, other: Meeting): boolean {
  const least = other.facts.bounds.get("minimum");
  const above = other.facts.bounds.get("exclusiveMinimum");
  return (
    (least !== undefined && keepsBound(facts, "exclusiveMaximum", least)) ||
    (above !== undefined && keepsBound(facts, "maximum", above))
  );
}

function haveDisjointProperty(prover: Prover, one: Meeting, other: Meeting, level: number): boolean {
  if (level >= MAX_LEVELS) return false;
  for (const name of new Set([...one.facts.required, ...other.facts.required])) {
    const [left, right] = [one, other].map(({ atoms, side }) =>
      prover.meet(schemasOfProperty(atoms, name).schemas, side),
    );
    if (!left || !right || areDisjoint(prover, left, right, level + 1)) return true;
  }
  return false;
}

function haveDisjointChoice(prover: Prover, one: Meeting, other: Meeting, level: number): boolean {
  return one.atoms.some((atom) =>
    ["anyOf", "oneOf"].some((keyword) => {
      const choice = ownKeyword(atom, keyword);
      if (!Array.isArray(choice) || choice.length === 0 || one.taken.includes(choice)) return false;
      return choice.every((branch) => {
        const taken = prover.meet([...one.atoms, branch], one.side, [...one.taken, choice]);
        return taken === null || areDisjoint(prover, taken, other, level + 1);
      });
    }),
  );
}
