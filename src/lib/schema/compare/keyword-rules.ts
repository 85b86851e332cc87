import { isPlainObject, type JsonSchema } from "../../contract/json";
import { takesAnything, takesType } from "../keywords";
import { ownKeyword, ownMap, REFERENCE_KEYWORDS } from "../resolve-ref";
import {
  EVALUATING,
  impliesCondition,
  impliesContains,
  impliesDependentRequired,
  impliesDependentSchemas,
} from "./condition-rules";
import { equalSchemas } from "./equal-schemas";
import { evaluatesAllItems, evaluatesAllProperties, listClosedNames, listEvaluatedNames } from "./evaluated-parts";
import { containsPattern } from "./pattern-containment";
import { type Meeting, otherSide, type Prover } from "./prover";
import { allowedValues, BOUNDS, getBound, keepsBound, listTypes, type SchemaFacts } from "./schema-facts";

/** The question to a rule: whether the keyword of `outer` refuses none of the values of `inner`. */
interface Question {
  prover: Prover;
  inner: Meeting;
  outer: JsonSchema;
  value: unknown;
}

interface Rule {
  /** The keyword refuses values of this type alone. */
  type?: string;
  proves(question: Question): boolean;
}

/** Keywords that are compared as a whole with those that they belong to; equal ones refuse the same. */
const GROUPS = [
  { keywords: ["contains", "minContains", "maxContains"], type: "array", implies: impliesContains },
  { keywords: ["if", "then", "else"], implies: impliesCondition },
  { keywords: ["dependentRequired"], type: "object", implies: impliesDependentRequired },
  { keywords: ["dependentSchemas"], type: "object", implies: impliesDependentSchemas },
];
const RULES = new Map<string, Rule>();

function addRule(keywords: readonly string[], rule: Rule): void {
  for (const keyword of keywords) RULES.set(keyword, rule);
}

/** Whether every value of `inner` keeps the keyword. What is no keyword refuses nothing. */
export function impliesKeyword(prover: Prover, inner: Meeting, outer: JsonSchema, keyword: string): boolean {
  const rule = RULES.get(keyword);
  if (rule === undefined || (rule.type !== undefined && !takesAny(inner.facts, rule.type))) return true;
  return rule.proves({ prover, inner, outer, value: outer[keyword] });
}

function takesAny({ types }: SchemaFacts, type: string): boolean {
  return types.has(type) || (type === "number" && types.has("integer"));
}

/** Whether one of the schemas has an equal value for these keywords. */
function saysTheSame({ inner, outer }: Question, keywords: readonly string[]): boolean {
  const said = pick(outer, keywords);
  return inner.atoms.some((atom) => equalSchemas(pick(atom, keywords), said));
}

function pick(schema: JsonSchema, keywords: readonly string[]): JsonSchema {
  const present = keywords.filter((keyword) => Object.hasOwn(schema, keyword));
  return Object.fromEntries(present.map((keyword) => [keyword, schema[keyword]]));
}

addRule(["type", "nullable"], {
  proves({ inner, outer }) {
    const types = listTypes(outer);
    if (types === null) return ownKeyword(outer, "type") === undefined;
    return [...inner.facts.types].every((type) => takesType(types, type));
  },
});
addRule(["enum", "const"], {
  proves({ inner, outer }) {
    const values = allowedValues(outer);
    if (values === null || inner.facts.values === null) return false;
    return [...inner.facts.values.keys()].every((text) => values.has(text));
  },
});
for (const [type, keywords] of Object.entries(BOUNDS)) {
  for (const keyword of keywords) {
    addRule([keyword], {
      type,
      proves(question) {
        const limit = getBound(question.outer, keyword);
        if (limit !== null) return keepsBound(question.inner.facts, keyword, limit);
        // The flag of draft-04 changes the limit beside it.
        return ["boolean", "number"].includes(typeof question.value) || saysTheSame(question, [keyword]);
      },
    });
  }
}
addRule(["multipleOf"], {
  type: "number",
  proves(question) {
    const { inner, value } = question;
    const divides = (known: unknown): boolean =>
      Number.isSafeInteger(known) && Number.isSafeInteger(value) && (known as number) % (value as number) === 0;
    if (inner.atoms.some((atom) => divides(ownKeyword(atom, "multipleOf")))) return true;
    const isWhole = value === 1 && !inner.facts.types.has("number");
    return isWhole || saysTheSame(question, ["multipleOf"]);
  },
});
/** Patterns that any text matches refuse nothing. */
addRule(["pattern"], {
  type: "string",
  proves({ inner, value }) {
    if (typeof value !== "string") return false;
    const known = inner.atoms.map((atom) => ownKeyword(atom, "pattern")).filter((each) => typeof each === "string");
    return ["", ...known].some((pattern) => containsPattern(pattern, value));
  },
});
// A format may be one of numbers.
addRule(["format"], { proves: (question) => saysTheSame(question, ["format"]) });
addRule(["uniqueItems"], {
  type: "array",
  proves: (question) =>
    question.value === false ||
    (question.inner.facts.bounds.get("maxItems") ?? 2) < 2 ||
    saysTheSame(question, ["uniqueItems"]),
});
addRule(["required"], {
  type: "object",
  proves({ inner, value }) {
    return Array.isArray(value) && value.every((name) => inner.facts.required.has(name as string));
  },
});
addRule(["properties"], {
  type: "object",
  proves({ prover, inner, value }) {
    if (!isPlainObject(value)) return false;
    const closed = listClosedNames(prover, inner);
    return Object.entries(value).every(
      ([name, schema]) => (closed !== null && !closed.has(name)) || impliesProperty(prover, inner, name, schema),
    );
  },
});
addRule(["patternProperties"], {
  type: "object",
  proves({ prover, inner, value }) {
    if (!isPlainObject(value)) return false;
    return Object.entries(value).every(([pattern, schema]) => {
      const known = inner.atoms.flatMap((atom) =>
        Object.entries(ownMap(atom, "patternProperties")).flatMap(([wider, each]) =>
          containsPattern(pattern, wider) ? [each] : [],
        ),
      );
      return prover.contains(known, inner.side, schema, { inside: true });
    });
  },
});
addRule(["additionalProperties"], {
  type: "object",
  proves({ prover, inner, outer, value }) {
    if (!isSchema(value)) return false;
    const described = ownMap(outer, "properties");
    const closed = listClosedNames(prover, inner);
    if (closed !== null && [...closed].every((name) => Object.hasOwn(described, name))) return true;
    return [...inner.atoms, {}].some((atom) => impliesRest(prover, inner, atom, outer, value));
  },
});
addRule(["propertyNames"], {
  type: "object",
  proves({ prover, inner, value }) {
    const known = inner.atoms.map((atom) => ownKeyword(atom, "propertyNames")).filter((each) => each !== undefined);
    return isSchema(value) && prover.contains([...known, TEXT], inner.side, value, { inside: true });
  },
});
const TEXT = { type: "string" };
addRule(["items", "prefixItems", "additionalItems"], {
  type: "array",
  proves: ({ prover, inner, outer }) => impliesItems(prover, inner, outer),
});
addRule(["anyOf"], {
  proves: ({ prover, inner, value }) =>
    Array.isArray(value) && value.some((branch) => prover.contains(inner.atoms, inner.side, branch)),
});
addRule(["oneOf"], {
  proves: ({ prover, inner, value }) => Array.isArray(value) && impliesOneOf(prover, inner, value),
});
addRule(["not"], {
  proves({ prover, inner, value }) {
    const side = otherSide(inner.side);
    const refused = prover.meet([value], side);
    if (refused === null || prover.isDisjoint(inner, refused)) return true;
    return inner.atoms.some(
      (atom) => Object.hasOwn(atom, "not") && prover.contains([value], side, atom.not, { strict: true }),
    );
  },
});
addRule(["$ref", "$dynamicRef", "$recursiveRef"], {
  // The target of the reference is proven separately.
  proves({ prover, inner, outer, value }) {
    const dynamic = REFERENCE_KEYWORDS.slice(1);
    if (prover.describeTarget(outer, otherSide(inner.side)) !== null || typeof value !== "string") return true;
    return inner.atoms.some(
      (atom) =>
        prover.describeTarget(atom, inner.side) === null &&
        REFERENCE_KEYWORDS.every((keyword) => ownKeyword(atom, keyword) === ownKeyword(outer, keyword)) &&
        !dynamic.some((keyword) => Object.hasOwn(atom, keyword)),
    );
  },
});
for (const { keywords, implies, type } of GROUPS) {
  const proves = (question: Question): boolean =>
    saysTheSame(question, keywords) || implies(question.prover, question.inner, question.outer);
  addRule(keywords, { ...(type !== undefined && { type }), proves });
}
addRule(["dependencies"], {
  type: "object",
  proves: (question) =>
    (isPlainObject(question.value) && Object.keys(question.value).length === 0) ||
    saysTheSame(question, ["dependencies"]),
});
addRule(["unevaluatedItems"], {
  type: "array",
  proves: (question) =>
    !question.prover.isModern(question.inner.side) ||
    takesAnything(question.value) ||
    evaluatesAllItems(question.prover, question.outer, otherSide(question.inner.side)) ||
    saysTheSame(question, EVALUATING),
});
addRule(["unevaluatedProperties"], {
  type: "object",
  proves(question) {
    const { prover, inner, outer, value } = question;
    if (!prover.isModern(inner.side) || takesAnything(value) || saysTheSame(question, EVALUATING)) return true;
    const side = otherSide(inner.side);
    if (evaluatesAllProperties(prover, outer, side)) return true;
    const closed = listClosedNames(prover, inner);
    const evaluated = listEvaluatedNames(prover, outer, side);
    return closed !== null && [...closed].every((name) => evaluated.has(name));
  },
});

const isSchema = (value: unknown): boolean => isPlainObject(value) || typeof value === "boolean";

export interface PropertySchemas {
  schemas: unknown[];
  /** Whether no value may have the property. */
  isRefused: boolean;
}

export function schemasOfProperty(atoms: readonly JsonSchema[], name: string): PropertySchemas {
  const found: PropertySchemas = { schemas: [], isRefused: false };
  for (const atom of atoms) {
    const named = ownKeyword(ownMap(atom, "properties"), name);
    const rest = ownKeyword(atom, "additionalProperties");
    if (named !== undefined) found.schemas.push(named);
    // A pattern is assumed to match the name: then `additionalProperties` may not apply to it.
    else if (rest !== undefined && hasNoPatterns(atom)) found.schemas.push(rest);
  }
  found.isRefused = found.schemas.includes(false);
  return found;
}

function impliesProperty(prover: Prover, inner: Meeting, name: string, schema: unknown): boolean {
  const { schemas, isRefused } = schemasOfProperty(inner.atoms, name);
  if (isRefused) return true;
  const isUnknown = schemas.every((each) => each === true) && inner.atoms.every(hasNoPatterns);
  const isNew = isUnknown && schema !== false && (prover.isWhole || inner.atoms.some(hasProperties));
  if (prover.contains(schemas, inner.side, schema, { inside: true })) return true;
  if (!prover.lenient || !isNew) return false;
  prover.exceptNew(name);
  return true;
}

function hasNoPatterns(schema: JsonSchema): boolean {
  return Object.keys(ownMap(schema, "patternProperties")).length === 0;
}

const hasProperties = (schema: JsonSchema): boolean => Object.hasOwn(schema, "properties");

/** Whether the additional properties that `atom` accepts fit the schema that `outer` has for them. */
function impliesRest(prover: Prover, inner: Meeting, atom: JsonSchema, outer: JsonSchema, rest: unknown): boolean {
  const fits = (schemas: readonly unknown[]): boolean => prover.contains(schemas, inner.side, rest, { inside: true });
  const patterns = ownMap(outer, "patternProperties");
  return (
    fits([ownKeyword(atom, "additionalProperties") ?? true]) &&
    Object.entries(ownMap(atom, "patternProperties")).every(
      ([pattern, schema]) => Object.keys(patterns).some((wider) => containsPattern(pattern, wider)) || fits([schema]),
    ) &&
    Object.keys(ownMap(atom, "properties")).every(
      (name) => Object.hasOwn(ownMap(outer, "properties"), name) || fits(schemasOfProperty(inner.atoms, name).schemas),
    )
  );
}

/** More positions are not compared. */
const MAX_POSITIONS = 200;

function impliesItems(prover: Prover, inner: Meeting, outer: JsonSchema): boolean {
  const wanted = prover.readItems(outer, otherSide(inner.side));
  const known = inner.atoms.map((atom) => prover.readItems(atom, inner.side));
  const positions = Math.max(wanted.prefix.length, ...known.map(({ prefix }) => prefix.length));
  const longest = inner.facts.bounds.get("maxItems") ?? Number.POSITIVE_INFINITY;
  if (positions > MAX_POSITIONS) return false;
  // The position after the last one represents all that follow.
  for (let at = 0; at <= positions && at < longest; at += 1) {
    const schemas = known.map(({ prefix, rest }) => prefix[at] ?? rest ?? true);
    if (schemas.includes(false)) return true;
    const schema = wanted.prefix[at] ?? wanted.rest ?? true;
    if (!prover.contains(schemas, inner.side, schema, { inside: true })) return false;
  }
  return true;
}

/** Exactly one branch takes each value: one takes all of them, and each other one refuses them. */
function impliesOneOf(prover: Prover, inner: Meeting, branches: readonly unknown[]): boolean {
  const meetsOne = (values: Meeting, isRefused: (branch: unknown) => boolean): boolean =>
    branches.some(
      (branch, index) =>
        prover.contains(values.atoms, inner.side, branch) &&
        branches.every((other, at) => at === index || isRefused(other) || refuses(prover, values, other)),
    );
  if (meetsOne(inner, () => false)) return true;
  const former = inner.atoms.flatMap(({ oneOf }) => (Array.isArray(oneOf) ? [oneOf as unknown[]] : []));
  return former.some((choice) =>
    choice.every((taken, index) => {
      const values = prover.meet([...inner.atoms, taken], inner.side, [...inner.taken, choice]);
      // The others of the former choice refused the value, and with it all that one of them would take.
      const isRefused = (branch: unknown): boolean =>
        choice.some(
          (other, at) => at !== index && prover.contains([branch], otherSide(inner.side), other, { strict: true }),
        );
      return values === null || meetsOne(values, isRefused);
    }),
  );
}

function refuses(prover: Prover, values: Meeting, branch: unknown): boolean {
  const taken = prover.meet([branch], otherSide(values.side));
  return taken === null || prover.isDisjoint(values, taken);
}
