import { isPlainObject, type JsonSchema } from "../contract/json";
import { mergeSchemas, typeList } from "./merge-schemas";
import { asSchema, ownKeyword, resolveRef, type SchemaNode } from "./resolve-ref";

/** A schema with its `$ref`, `allOf` and "or null" spelled out one level deep; its parts are left as they are written. */
export interface EffectiveSchema {
  schema: SchemaNode;
  /** True when null is allowed beside what `schema` says. */
  nullable: boolean;
  /** The keyword whose branches are alternatives for the value, each a schema of its own; null without a choice. */
  branches: SchemaNode[] | null;
  /** Words for alternatives that only ask for one property or another. */
  alternatives: string | null;
  /** Why a part of the schema could not be spelled out. */
  problem: string | null;
}

const MAX_CHAIN = 64;
const ANNOTATIONS = ["title", "description", "default", "examples", "deprecated", "$comment"];
const NOT_INHERITED = [...ANNOTATIONS, "$defs", "definitions", "$id", "$schema", "$anchor"];

function without(schema: JsonSchema, keywords: readonly string[]): JsonSchema {
  return Object.fromEntries(Object.entries(schema).filter(([keyword]) => !keywords.includes(keyword)));
}

interface Expansion {
  schema: SchemaNode;
  problem: string | null;
}

function both(left: Expansion, right: Expansion): Expansion {
  const problem = left.problem ?? right.problem;
  if (left.schema === false || right.schema === false) return { schema: false, problem };
  // A schema with nothing beside its reference is its target, the very object: recursion is seen by identity.
  if (left.schema === true || Object.keys(left.schema).length === 0) return { schema: right.schema, problem };
  if (right.schema === true) return { schema: left.schema, problem };
  return { schema: mergeSchemas(left.schema, right.schema), problem };
}

function expand(node: SchemaNode, root: JsonSchema, chain: readonly JsonSchema[]): Expansion {
  if (typeof node === "boolean") return { schema: node, problem: null };
  if (chain.includes(node) || chain.length > MAX_CHAIN) return { schema: true, problem: "refers to itself" };
  const ref = ownKeyword(node, "$ref");
  const parts = ownKeyword(node, "allOf");
  if (typeof ref !== "string" && !Array.isArray(parts)) return { schema: node, problem: null };
  const inner = [...chain, node];
  let result: Expansion = { schema: without(node, ["$ref", "allOf"]), problem: null };
  if (typeof ref === "string") {
    const target = resolveRef(root, ref);
    result = both(
      result,
      target === null ? { schema: true, problem: `${ref} is not in this schema` } : expand(target, root, inner),
    );
  }
  for (const part of Array.isArray(parts) ? parts : []) result = both(result, expand(asSchema(part), root, inner));
  return result;
}

function isNullOnly(schema: SchemaNode): boolean {
  if (typeof schema === "boolean") return false;
  const values = ownKeyword(schema, "enum");
  if (Object.hasOwn(schema, "const")) return schema.const === null;
  if (Array.isArray(values) && values.length === 1) return values[0] === null;
  const types = typeList(ownKeyword(schema, "type"));
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
  return types.map((type) => ({ ...base, type }));
}

function spellOut(node: SchemaNode, root: JsonSchema): EffectiveSchema {
  let { schema, problem } = expand(node, root, []);
  let nullable = false;
  for (let round = 0; round < MAX_CHAIN; round += 1) {
    const result = { schema, nullable, branches: null, alternatives: null, problem };
    if (typeof schema === "boolean") return result;
    if (Object.hasOwn(schema, "const") || Array.isArray(ownKeyword(schema, "enum"))) return result;
    const types = typeList(ownKeyword(schema, "type"));
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
    const expanded = written.map((branch) => expand(branch, root, []));
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
      const merged = both({ schema: base, problem }, expand(only, root, []));
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
 * Spells a schema out. The answer for the same objects is the same object, so the schemas inside it can be compared
 * by identity. Recursive references end where the schema is not asked for again.
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
