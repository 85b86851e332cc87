import { isPlainObject, type JsonSchema, type JsonValue } from "../../contract/json";
import { effectiveSchema } from "../effective-schema";
import { asSchema, ownKeyword, ownList, ownMap, type SchemaNode } from "../resolve-ref";
import { shortJson } from "../short-json";
import { describeTypeWithValues } from "./type-label";

const MAX_WRAPPINGS = 20;

function refName(node: SchemaNode, depth = 0): string | null {
  if (typeof node === "boolean" || depth > MAX_WRAPPINGS) return null;
  const ref = ownKeyword(node, "$ref");
  if (typeof ref === "string") return ref.slice(Math.max(ref.lastIndexOf("/"), ref.lastIndexOf("#")) + 1) || null;
  // A branch that inherits keywords is wrapped; its name is in the first part.
  const [first] = ownList(node, "allOf");
  return isPlainObject(first) ? refName(first, depth + 1) : null;
}

const MAX_VALUE_CHARS = 60;
const MAX_NAMED_PROPERTIES = 6;
/** A property that discriminates branches is among the first. */
const MAX_SEARCHED_PROPERTIES = 50;

/** The constant that discriminates an object branch: `kind: "circle"`. */
function discriminator(schema: JsonSchema, root: JsonSchema): string | null {
  for (const [name, node] of Object.entries(ownMap(schema, "properties")).slice(0, MAX_SEARCHED_PROPERTIES)) {
    const part = effectiveSchema(asSchema(node), root).schema;
    if (typeof part === "boolean") continue;
    if (Object.hasOwn(part, "const")) return `${name}: ${shortJson(part.const as JsonValue, MAX_VALUE_CHARS)}`;
    const values = ownKeyword(part, "enum");
    if (Array.isArray(values) && values.length === 1)
      return `${name}: ${shortJson(values[0] as JsonValue, MAX_VALUE_CHARS)}`;
  }
  return null;
}

function formatLabel(node: SchemaNode, root: JsonSchema): string {
  const { schema } = effectiveSchema(node, root);
  if (typeof schema === "boolean") return schema ? "anything" : "nothing";
  const title = ownKeyword(schema, "title");
  if (typeof title === "string" && title.trim() !== "") return title;
  const text = discriminator(schema, root) ?? refName(node) ?? describeTypeWithValues(node, root);
  const properties = ownKeyword(schema, "properties");
  if (text === "object" && isPlainObject(properties)) return `object with ${listNames(properties)}`;
  return text;
}

function listNames(properties: JsonSchema): string {
  const names = Object.keys(properties);
  const listed = names.slice(0, MAX_NAMED_PROPERTIES).join(", ");
  return names.length > MAX_NAMED_PROPERTIES ? `${listed}, …` : listed;
}

const cache = new WeakMap<readonly SchemaNode[], string[]>();

/** One label per branch of a choice; equal labels are numbered. */
export function branchLabels(branches: readonly SchemaNode[], root: JsonSchema): string[] {
  const known = cache.get(branches);
  if (known) return known;
  const labels = branches.map((branch) => formatLabel(branch, root));
  const totals = new Map<string, number>();
  for (const label of labels) totals.set(label, (totals.get(label) ?? 0) + 1);
  const counts = new Map<string, number>();
  const numbered = labels.map((label) => {
    if (totals.get(label) === 1) return label;
    const count = (counts.get(label) ?? 0) + 1;
    counts.set(label, count);
    return `${label} (${count})`;
  });
  cache.set(branches, numbered);
  return numbered;
}
