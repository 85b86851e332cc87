import { isPlainObject, type JsonSchema, type JsonValue } from "../contract/json";
import { effectiveSchema } from "./effective-schema";
import { asSchema, ownKeyword, type SchemaNode } from "./resolve-ref";
import { typeTextOf } from "./type-label";

function refName(node: SchemaNode): string | null {
  if (typeof node === "boolean") return null;
  const ref = ownKeyword(node, "$ref");
  if (typeof ref === "string") return ref.slice(Math.max(ref.lastIndexOf("/"), ref.lastIndexOf("#")) + 1) || null;
  // A branch that inherits keywords from beside the choice is wrapped; its own name is in the first part.
  const parts = ownKeyword(node, "allOf");
  return Array.isArray(parts) && isPlainObject(parts[0]) ? refName(parts[0]) : null;
}

/** The constant that tells one object branch from another: `kind: "circle"`. */
function discriminator(schema: JsonSchema, root: JsonSchema): string | null {
  const properties = ownKeyword(schema, "properties");
  if (!isPlainObject(properties)) return null;
  for (const [name, node] of Object.entries(properties)) {
    const part = effectiveSchema(asSchema(node), root).schema;
    if (typeof part === "boolean") continue;
    if (Object.hasOwn(part, "const")) return `${name}: ${JSON.stringify(part.const as JsonValue)}`;
    const values = ownKeyword(part, "enum");
    if (Array.isArray(values) && values.length === 1) return `${name}: ${JSON.stringify(values[0])}`;
  }
  return null;
}

function labelOf(node: SchemaNode, root: JsonSchema): string {
  const { schema } = effectiveSchema(node, root);
  if (typeof schema === "boolean") return schema ? "anything" : "nothing";
  const title = ownKeyword(schema, "title");
  if (typeof title === "string" && title.trim() !== "") return title;
  const text = discriminator(schema, root) ?? refName(node) ?? typeTextOf(node, root);
  const properties = ownKeyword(schema, "properties");
  if (text === "object" && isPlainObject(properties)) return `object with ${Object.keys(properties).join(", ")}`;
  return text;
}

/** One name a branch of a choice; branches that read the same are numbered. */
export function branchLabels(branches: readonly SchemaNode[], root: JsonSchema): string[] {
  const labels = branches.map((branch) => labelOf(branch, root));
  return labels.map((label, index) => {
    const same = labels.filter((other) => other === label).length;
    if (same === 1) return label;
    return `${label} (${labels.slice(0, index + 1).filter((other) => other === label).length})`;
  });
}
