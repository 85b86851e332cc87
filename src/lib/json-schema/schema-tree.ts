import type { JsonSchema } from "../contract/json";
import { branchLabels } from "./branch-labels";
import { describeField, type FieldDescription } from "./describe-field";
import { childPointer } from "./json-pointer";
import { keySchema } from "./key-schema";
import type { SchemaNode } from "./resolve-ref";
import { typeTextOf } from "./type-label";

/** One line of the definition view. */
export interface SchemaRow {
  /** Unique in the list; where the value would be, with branches and elements marked. */
  key: string;
  name: string;
  typeText: string;
  required: boolean;
  depth: number;
  constraints: string | null;
  description: string | null;
  defaultText: string | null;
  /** The place refers back to a schema above it and is not repeated. */
  recursive: boolean;
}

const MAX_DEPTH = 12;
const MAX_ROWS = 2_000;

interface Walk {
  root: JsonSchema;
  rows: SchemaRow[];
  /** The spelled-out schemas above the current place. */
  above: SchemaNode[];
}

interface Child {
  key: string;
  name: string;
  node: SchemaNode;
  required: boolean;
}

function childrenOf(field: FieldDescription, key: string, root: JsonSchema): Child[] {
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
  if (field.kind === "array") {
    const inner = describeField(field.items, root);
    return ["object", "map", "union", "array", "tuple"].includes(inner.kind) ? childrenOf(inner, `${key}/-`, root) : [];
  }
  if (field.kind === "tuple") return field.prefix.map((node, index) => child(`[${index}]`, node, true));
  const named = field.properties.map(({ name, schema, required }) => child(name, schema, required));
  const rest = field.kind === "map" ? keySchema(field, "") : null;
  return rest !== null && typeof rest.schema !== "boolean" ? [...named, child("‹any key›", rest.schema)] : named;
}

/** What a place refers back to: its own shape, or the shape of an array's elements. */
function shapeOf(field: FieldDescription, root: JsonSchema, depth = 0): SchemaNode {
  return field.kind === "array" && depth < MAX_DEPTH
    ? shapeOf(describeField(field.items, root), root, depth + 1)
    : field.schema;
}

function addRows(walk: Walk, children: readonly Child[], depth: number): void {
  for (const { key, name, node, required } of children) {
    if (walk.rows.length >= MAX_ROWS) return;
    const field = describeField(node, walk.root);
    const shape = shapeOf(field, walk.root);
    const recursive = typeof shape !== "boolean" && walk.above.includes(shape);
    walk.rows.push({
      key,
      name,
      typeText: typeTextOf(node, walk.root),
      required,
      depth,
      constraints: field.constraints,
      description: field.description,
      defaultText: field.defaultValue === undefined ? null : JSON.stringify(field.defaultValue),
      recursive,
    });
    if (recursive || depth >= MAX_DEPTH) continue;
    walk.above.push(shape);
    addRows(walk, childrenOf(field, key, walk.root), depth + 1);
    walk.above.pop();
  }
}

/** The properties of a schema as flat rows, parents before children. */
export function schemaTree(schema: JsonSchema): SchemaRow[] {
  const field = describeField(schema, schema);
  const walk: Walk = { root: schema, rows: [], above: [field.schema] };
  addRows(walk, childrenOf(field, "", schema), 0);
  return walk.rows;
}
