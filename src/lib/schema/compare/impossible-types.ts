import type { JsonSchema } from "../../contract/json";
import { ANNOTATIONS } from "../keywords";
import { asSchema, ownKeyword } from "../resolve-ref";
import { schemasOfProperty } from "./keyword-rules";
import type { Meeting, Prover } from "./prover";
import { listTypes, type SchemaFacts } from "./schema-facts";

/** Facts without the types of which no value is taken: bounds that exclude each other, a required property that nothing fits. */
export function dropImpossible(prover: Prover, meeting: Meeting): SchemaFacts {
  const { facts } = meeting;
  const types = new Set([...facts.types].filter((type) => !isImpossible(prover, meeting, type)));
  if (types.size === facts.types.size) return facts;
  const values =
    facts.values === null ? null : new Map([...facts.values].filter(([, value]) => types.has(typeOf(value, types))));
  return { ...facts, types, values };
}

const typeOf = (value: unknown, types: ReadonlySet<string>): string => {
  if (value === null) return "null";
  if (Array.isArray(value)) return "array";
  return Number.isInteger(value) && types.has("integer") ? "integer" : typeof value;
};

function isImpossible(prover: Prover, meeting: Meeting, type: string): boolean {
  if (meeting.atoms.some((atom) => refusesType(atom, type))) return true;
  switch (type) {
    case "number":
    case "integer":
      return hasNoNumber(meeting, type === "integer");
    case "string":
      return exceeds(meeting, "minLength", "maxLength");
    case "array":
      return exceeds(meeting, "minItems", "maxItems") || lacksElement(prover, meeting);
    case "object":
      return lacksProperty(prover, meeting);
    default:
      return false;
  }
}

const exceeds = ({ facts: { bounds } }: Meeting, least: string, most: string): boolean =>
  (bounds.get(least) ?? 0) > (bounds.get(most) ?? Number.POSITIVE_INFINITY);

/** Whether `not` with only a type refuses the type. */
function refusesType(atom: JsonSchema, type: string): boolean {
  if (!Object.hasOwn(atom, "not")) return false;
  const refused = asSchema(atom.not);
  if (typeof refused === "boolean") return refused;
  const keywords = Object.keys(refused).filter((keyword) => !ANNOTATIONS.has(keyword));
  if (keywords.length === 0) return true;
  const types = keywords.length === 1 && keywords[0] === "type" ? (listTypes(refused) ?? []) : [];
  return types.includes(type) || (type === "integer" && types.includes("number"));
}

function hasNoNumber({ atoms, facts: { bounds } }: Meeting, isWhole: boolean): boolean {
  const above = bounds.get("exclusiveMinimum") ?? Number.NEGATIVE_INFINITY;
  const below = bounds.get("exclusiveMaximum") ?? Number.POSITIVE_INFINITY;
  const least = Math.max(bounds.get("minimum") ?? above, above);
  const most = Math.min(bounds.get("maximum") ?? below, below);
  if (least > most || (least === most && (least === above || most === below))) return true;
  const steps = atoms.map((atom) => ownKeyword(atom, "multipleOf")).filter(isStep);
  // Multiples of an integer are integers.
  return [...steps, ...(isWhole ? [1] : [])].some((step) => {
    const first = Math.ceil(least / step) * step;
    const next = first === above ? first + step : first;
    return Number.isSafeInteger(first) && (next > most || next === below);
  });
}

const isStep = (step: unknown): step is number => Number.isSafeInteger(step) && (step as number) > 0;

function lacksElement(prover: Prover, { atoms, side, facts }: Meeting): boolean {
  const needed = Math.min(facts.bounds.get("minItems") ?? 0, MAX_ELEMENTS);
  return Array.from({ length: needed }, (_, at) => at).some((at) => {
    const schemas = atoms.map((atom) => {
      const { prefix, rest } = prover.readItems(atom, side);
      return at < prefix.length ? prefix[at] : rest;
    });
    return takesNothing(
      prover,
      schemas.filter((schema) => schema !== undefined),
      side,
    );
  });
}

const MAX_ELEMENTS = 8;

function lacksProperty(prover: Prover, { atoms, side, facts }: Meeting): boolean {
  const { bounds, required } = facts;
  if (
    Math.max(bounds.get("minProperties") ?? 0, required.size) >
    (bounds.get("maxProperties") ?? Number.POSITIVE_INFINITY)
  )
    return true;
  return [...required].some((name) => takesNothing(prover, schemasOfProperty(atoms, name).schemas, side));
}

function takesNothing(prover: Prover, schemas: readonly unknown[], side: Meeting["side"]): boolean {
  const met = prover.meet(schemas, side);
  return met === null || met.facts.types.size === 0;
}
