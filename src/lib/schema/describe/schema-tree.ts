import type { JsonSchema } from "../../contract/json";
import { childPointer } from "../../json/json-pointer";
import { keySchema } from "../key-schema";
import type { SchemaNode } from "../resolve-ref";
import { shortJson } from "../short-json";
import { StepBudget } from "../step-budget";
import { branchLabels } from "./branch-labels";
import { describeField, type FieldDescription } from "./describe-field";
import { describeTypeWithValues } from "./type-label";

/** One row of the definition view. */
export interface SchemaRow {
  /** Unique in the list: the path of the value, with branches and elements marked. */
  key: string;
  name: string;
  typeText: string;
  required: boolean;
  depth: number;
  constraints: string | null;
  description: string | null;
  defaultText: string | null;
  /** Refers to a schema above it, which is not repeated. */
  recursive: boolean;
}

const MAX_DEPTH = 12;
const MAX_ROWS = 999;
/** Children that are visited for one tree: a choice has many, most of them without a row. */
const MAX_STEPS = 10_000;
const MAX_DEFAULT_CHARS = 200;
/** Characters of all descriptions; a description that is referred to counts each time. */
const MAX_DESCRIPTION_CHARS = 300_000;

interface Walk {
  root: JsonSchema;
  rows: SchemaRow[];
  /** The expanded schemas above the current one. */
  above: SchemaNode[];
  budget: StepBudget;
  descriptions: StepBudget;
}

interface Child {
  key: string;
  name: string;
  node: SchemaNode;
  required: boolean;
}

function listChildren(field: FieldDescription, key: string, { root, budget }: Walk): Child[] {
  if (!budget.spend(field.properties.length + field.branches.length + field.prefix.length)) return [];
  const child = (name: string, node: SchemaNode, required = false) => ({
    key: childPointer(key, name),
    name,
    node,
    required,
  });
  if (field.kind === "union") {
    const labels = branchLabels(field.branches, root);
    return field.branches.flatMap((node, index) => {
      const inner = describeField(node, root).kind;
      return inner === "object" || inner === "array" || inner === "tuple"
        ? [child(`‹${labels[index] ?? String(index + 1)}›`, node)]
        : [];
    });
  }
  if (field.kind === "tuple") return field.prefix.map((node, index) => child(`[${index}]`, node, true));
  const named = field.properties.map(({ name, schema, required }) => child(name, schema, required));
  const rest = field.kind === "map" ? keySchema(field, "") : null;
  return rest !== null && typeof rest.schema !== "boolean" ? [...named, child("‹any key›", rest.schema)] : named;
}

/** The children of a field; for an array those of its elements. */
function listParts(field: FieldDescription, key: string, walk: Walk): Child[] {
  let inner = field;
  let innerKey = key;
  for (let depth = 0; inner.kind === "array"; depth += 1) {
    if (depth > MAX_DEPTH) return [];
    inner = describeField(inner.items, walk.root);
    innerKey += "/-";
  }
  return listChildren(inner, innerKey, walk);
}

/** The shape of a field; for an array that of its elements. */
function toShape(field: FieldDescription, root: JsonSchema, depth = 0): SchemaNode {
  return field.kind === "array" && depth < MAX_DEPTH
    ? toShape(describeField(field.items, root), root, depth + 1)
    : field.schema;
}

function addRows(walk: Walk, children: readonly Child[], depth: number): void {
  for (const { key, name, node, required } of children) {
    if (walk.rows.length >= MAX_ROWS || walk.budget.isSpent) return;
    const field = describeField(node, walk.root);
    const shape = toShape(field, walk.root);
    const recursive = typeof shape !== "boolean" && walk.above.includes(shape);
    walk.rows.push({
      key,
      name,
      typeText: describeTypeWithValues(node, walk.root),
      required,
      depth,
      constraints: field.constraints,
      description: walk.descriptions.spend(field.description?.length ?? 0) ? field.description : null,
      defaultText: field.defaultValue === undefined ? null : shortJson(field.defaultValue, MAX_DEFAULT_CHARS),
      recursive,
    });
    if (recursive || depth >= MAX_DEPTH) continue;
    walk.above.push(shape);
    addRows(walk, listParts(field, key, walk), depth + 1);
    walk.above.pop();
  }
}

const cache = new WeakMap<JsonSchema, SchemaRow[]>();

/**
 * The properties of a schema as flat rows, parents before children. A last row says if there are more than a page can show.
 */
export function schemaTree(schema: JsonSchema): SchemaRow[] {
  const known = cache.get(schema);
  if (known) return known;
  const rows = listRows(schema);
  cache.set(schema, rows);
  return rows;
}

function listRows(schema: JsonSchema): SchemaRow[] {
  const field = describeField(schema, schema);
  const walk: Walk = {
    root: schema,
    rows: [],
    above: [field.schema],
    budget: new StepBudget(MAX_STEPS),
    descriptions: new StepBudget(MAX_DESCRIPTION_CHARS),
  };
  addRows(walk, listParts(field, "", walk), 0);
  const isCut = walk.rows.length >= MAX_ROWS || walk.budget.isSpent;
  return isCut ? [...walk.rows, REST] : walk.rows;
}

const REST: SchemaRow = {
  key: "…",
  name: "…",
  typeText: "more parts than can be listed",
  required: false,
  depth: 0,
  constraints: null,
  description: null,
  defaultText: null,
  recursive: false,
};
