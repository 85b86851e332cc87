import type { JsonObject, JsonSchema, JsonValue } from "../../contract/json";
import { fitScore } from "../match-branch";
import type { SchemaNode } from "../resolve-ref";
import { isJsonObject, ownValue } from "../value-at";
import { describeField, type FieldDescription } from "./describe-field";
import { emptyValue } from "./sample-value";

function objectFor(field: FieldDescription, before: JsonObject, root: JsonSchema): JsonValue {
  const entries = field.properties.flatMap((property): [string, JsonValue][] => {
    const inner = describeField(property.schema, root);
    const [only] = inner.options;
    if (property.required && only !== undefined && inner.options.length === 1) return [[property.name, only.value]];
    const kept = ownValue(before, property.name);
    return kept !== undefined && fitScore(kept, property.schema, root) !== null ? [[property.name, kept]] : [];
  });
  return Object.fromEntries(entries);
}

/**
 * The value after a switch to another branch of a union: unchanged if the branch accepts it, else an object with the branch's
 * constants and the shared properties, else the empty value of the branch's type.
 */
export function valueForBranch(branch: SchemaNode, before: JsonValue | undefined, root: JsonSchema): JsonValue {
  const field = describeField(branch, root);
  if (field.kind === "object" || field.kind === "map") {
    return objectFor(field, isJsonObject(before) ? before : {}, root);
  }
  if (before !== undefined && fitScore(before, branch, root) !== null) return before;
  return emptyValue(field, root);
}
