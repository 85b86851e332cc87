import { isPlainObject, type JsonSchema } from "../contract/json";
import { listTypes } from "./keywords";
import { mergeCost, mergeSchemas } from "./merge-schemas";
import { asSchema, findReference, ownKeyword, REFERENCE_KEYWORDS, type SchemaNode } from "./resolve-ref";
import { StepBudget, TOO_LARGE_FOR_FORM } from "./step-budget";

/** A schema with its `$ref`, `allOf` and "or null" expanded one level deep; its subschemas stay as written. */
export interface EffectiveSchema {
  schema: SchemaNode;
  /** True when null is allowed beside what `schema` says. */
  nullable: boolean;
  /** The keyword whose branches are alternatives for the value, each a schema of its own; null without a choice. */
  branches: SchemaNode[] | null;
  /** A text for alternatives that only require one property or another. */
  alternatives: string | null;
  /** Why a part of the schema could not be spelled out. */
  problem: string | null;
}

/** The limit of nested references and `allOf`. */
const MAX_CHAIN = 256;
const MAX_TYPES = 10;
/** The steps for one schema: some milliseconds. */
const STEPS_PER_PLACE = 20_000;
/** Steps for all schemas of one document, so that expanding level after level is limited too. */
const STEPS_PER_DOCUMENT = 200_000;
const ANNOTATIONS = ["title", "description", "default", "examples", "deprecated", "$comment"];
const NOT_INHERITED = [...ANNOTATIONS, "$defs", "definitions", "$id", "$schema", "$anchor"];

function without(schema: JsonSchema, keywords: readonly string[]): JsonSchema {
  return Object.fromEntries(Object.entries(schema).filter(([keyword]) => !keywords.includes(keyword)));
}

interface Expansion {
  schema: SchemaNode;
  problem: string | null;
}

/** The state of one expansion. */
interface Spelling {
  root: JsonSchema;
  budget: StepBudget;
  /** Expanded schemas: a schema with a thousand references is expanded once. */
  known: Map<JsonSchema, Expansion>;
  /** Schemas under expansion, outermost first. */
  open: Set<JsonSchema>;
}

const NO_LIMIT = { schema: true, problem: null } as const;

function both(left: Expansion, right: Expansion, { budget }: Spelling): Expansion {
  const problem = left.problem ?? right.problem;
  if (left.schema === false || right.schema === false) return { schema: false, problem };
  // A schema that is only a reference becomes its target, the same object: recursion is detected by identity.
  if (left.schema === true || Object.keys(left.schema).length === 0) return { schema: right.schema, problem };
  if (right.schema === true || right.schema === left.schema) return { schema: left.schema, problem };
  if (!budget.spend(mergeCost(left.schema, right.schema))) return { schema: left.schema, problem };
  return { schema: mergeSchemas(left.schema, right.schema), problem };
}

function expand(node: SchemaNode, spelling: Spelling): Expansion {
  if (typeof node === "boolean") return { schema: node, problem: null };
  const { root, budget, known, open } = spelling;
  const parts = ownKeyword(node, "allOf");
  const reference = findReference(node, root);
  if (reference === null && !Array.isArray(parts)) return { schema: node, problem: null };
  const before = known.get(node);
  if (before !== undefined) return before;
  if (open.has(node)) return { schema: true, problem: "refers to itself" };
  if (open.size > MAX_CHAIN || !budget.spend(Object.keys(node).length))
    return { ...NO_LIMIT, problem: TOO_LARGE_FOR_FORM };
  open.add(node);
  let result: Expansion = { schema: without(node, [...REFERENCE_KEYWORDS, "allOf"]), problem: null };
  if (reference !== null) {
    const { text, target } = reference;
    const meant =
      target === null ? { ...NO_LIMIT, problem: `${text} is not in this schema` } : expand(target, spelling);
    result = both(result, meant, spelling);
  }
  for (const part of Array.isArray(parts) ? parts : []) {
    if (!budget.spend()) break;
    result = both(result, expand(asSchema(part), spelling), spelling);
  }
  open.delete(node);
  known.set(node, result);
  return result;
}

function isNullOnly(schema: SchemaNode): boolean {
  if (typeof schema === "boolean") return false;
  const values = ownKeyword(schema, "enum");
  if (Object.hasOwn(schema, "const")) return schema.const === null;
  if (Array.isArray(values) && values.length === 1) return values[0] === null;
  const types = listTypes(schema);
  return types.length === 1 && types[0] === "null";
}

function choiceKeyword(schema: JsonSchema): "oneOf" | "anyOf" | null {
  for (const keyword of ["oneOf", "anyOf"] as const) {
    const list = ownKeyword(schema, keyword);
    if (Array.isArray(list) && list.length > 0) return keyword;
  }
  return null;
}

const REQUIREMENT_KEYWORDS = new Set(["required", "not", ...ANNOTATIONS]);

/** `oneOf: [{required: ["a"]}, {required: ["b"]}]` beside properties is a condition on one object, not a choice of shapes. */
function requirementWords(schema: JsonSchema, branches: readonly SchemaNode[]): string | null {
  if (!isPlainObject(ownKeyword(schema, "properties"))) return null;
  const words = branches.map((branch) => {
    if (typeof branch === "boolean" || Object.keys(branch).some((key) => !REQUIREMENT_KEYWORDS.has(key))) return null;
    const names = ownKeyword(branch, "required");
    return Array.isArray(names) ? names.join(" and ") : "";
  });
  if (words.includes(null)) return null;
  return `needs ${words.filter((word) => word !== "").join(", or ")}`;
}

function typeBranches(schema: JsonSchema, types: readonly string[]): SchemaNode[] {
  const base = without(schema, ANNOTATIONS);
  return [...new Set(types)].slice(0, MAX_TYPES).map((type) => ({ ...base, type }));
}

const TOO_LARGE: EffectiveSchema = {
  schema: true,
  nullable: false,
  branches: null,
  alternatives: null,
  problem: TOO_LARGE_FOR_FORM,
};

const budgets = new WeakMap<JsonSchema, StepBudget>();

/** Counts against the schema and against its document. */
class PlaceBudget extends StepBudget {
  constructor(readonly document: StepBudget) {
    super(STEPS_PER_PLACE);
  }

  override spend(steps = 1): boolean {
    const inDocument = this.document.spend(steps);
    return super.spend(steps) && inDocument;
  }

  override get isSpent(): boolean {
    return super.isSpent || this.document.isSpent;
  }
}

/** A schema without subschemas costs nothing, so that it is shown even beside parts that are too large. */
function isPlain(node: JsonSchema, root: JsonSchema): boolean {
  const types = ownKeyword(node, "type");
  return (
    !Array.isArray(types) &&
    !Array.isArray(ownKeyword(node, "allOf")) &&
    choiceKeyword(node) === null &&
    findReference(node, root) === null
  );
}

function spellOut(node: SchemaNode, root: JsonSchema): EffectiveSchema {
  if (typeof node === "boolean" || isPlain(node, root)) {
    return { schema: node, nullable: false, branches: null, alternatives: null, problem: null };
  }
  const document = budgets.get(root) ?? new StepBudget(STEPS_PER_DOCUMENT);
  budgets.set(root, document);
  const spelling: Spelling = { root, budget: new PlaceBudget(document), known: new Map(), open: new Set() };
  const result = spellChoices(node, spelling);
  return spelling.budget.isSpent ? TOO_LARGE : result;
}

function spellChoices(node: SchemaNode, spelling: Spelling): EffectiveSchema {
  let { schema, problem } = expand(node, spelling);
  let nullable = false;
  for (let round = 0; round < MAX_CHAIN && spelling.budget.spend(); round += 1) {
    const result = { schema, nullable, branches: null, alternatives: null, problem };
    if (typeof schema === "boolean") return result;
    if (Object.hasOwn(schema, "const") || Array.isArray(ownKeyword(schema, "enum"))) return result;
    const types = listTypes(schema);
    if (types.length > 1 && types.includes("null")) {
      const rest = types.filter((type) => type !== "null");
      schema = { ...schema, type: rest.length === 1 ? rest[0] : rest };
      nullable = true;
      continue;
    }
    const keyword = choiceKeyword(schema);
    if (keyword === null) return types.length > 1 ? { ...result, branches: typeBranches(schema, types) } : result;

    const list = schema[keyword];
    const written = (Array.isArray(list) ? list : []).map(asSchema);
    const expanded = written.map((branch) => (spelling.budget.spend() ? expand(branch, spelling) : NO_LIMIT));
    const kept = written.filter((_, index) => !isNullOnly(expanded[index]?.schema ?? true));
    const hasNull = kept.length < written.length;
    const words = requirementWords(
      schema,
      expanded.map((branch) => branch.schema),
    );
    if (words !== null) return { ...result, alternatives: words };

    const base = without(schema, [keyword]);
    const only = kept.length === 1 ? kept[0] : undefined;
    if (only !== undefined) {
      const merged = both({ schema: base, problem }, expand(only, spelling), spelling);
      ({ schema, problem } = merged);
      nullable ||= hasNull;
      continue;
    }
    if (kept.length === 0) return { ...result, schema: { ...base, type: "null" } };
    const shared = without(base, NOT_INHERITED);
    const branches = Object.keys(shared).length === 0 ? kept : kept.map((branch) => ({ allOf: [branch, shared] }));
    return { ...result, schema: base, nullable: nullable || hasNull, branches };
  }
  return { schema: true, nullable, branches: null, alternatives: null, problem: "refers to itself" };
}

const cache = new WeakMap<JsonSchema, WeakMap<JsonSchema, EffectiveSchema>>();

/**
 * Expands a schema. The same objects give the same result object, so schemas inside it can be compared by identity.
 * Recursive references are expanded only as far as a caller descends.
 */
export function effectiveSchema(node: SchemaNode, root: JsonSchema): EffectiveSchema {
  if (typeof node === "boolean") return spellOut(node, root);
  let known = cache.get(root);
  if (!known) {
    known = new WeakMap();
    cache.set(root, known);
  }
  const before = known.get(node);
  if (before) return before;
  const result = spellOut(node, root);
  known.set(node, result);
  return result;
}
