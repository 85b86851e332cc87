import { isPlainObject, type JsonSchema } from "../../../lib/contract/json";
import type { ToolDefinition } from "../../../lib/contract/tool-definition";
import type { ToolsetProblem } from "../../../lib/contract/toolset";
import type { ArgumentValidator, ExecutionLimits } from "../ports";
import { decidingSchema, validateArguments } from "../validation/validate-arguments";
import type { PreparedTool } from "./prepare-toolset";

/** The keywords that constrain each argument separately: constraints on several together depend on the call. */
const KEPT = ["$schema", "$id", "$defs", "definitions", "properties", "additionalProperties"];

const ownSchemas = new WeakMap<ToolDefinition, JsonSchema>();

/** Fixed and default values that the tool's schema refuses: calls with them fail. What cannot be checked passes. */
export async function checkArgumentValues(
  { original, override }: PreparedTool,
  { validator, limits }: { validator: ArgumentValidator; limits: ExecutionLimits },
): Promise<ToolsetProblem[]> {
  const rules = (override?.arguments ?? []).flatMap((rule) => (rule.mode === "hidden" ? [] : [rule]));
  const { properties } = original.parameters;
  const known = rules.filter(({ name }) => isPlainObject(properties) && Object.hasOwn(properties, name));
  if (known.length === 0) return [];
  const args = Object.fromEntries(known.map(({ name, value }) => [name, value]));
  const refusal = await validateArguments(validator, schemaOfEach(original), args, limits);
  return (refusal?.faults ?? []).flatMap(({ pointer, path, message }) => {
    const field = `overrides.${original.name}.arguments.${path}`;
    return pointer === "" ? [] : [{ severity: "error", tool: original.name, path: field, message }];
  });
}

/** Returns the same object for a definition, since compiled schemas are cached by it. */
function schemaOfEach(definition: ToolDefinition): JsonSchema {
  const known = ownSchemas.get(definition);
  if (known !== undefined) return known;
  const kept = Object.entries(decidingSchema(definition)).filter(([keyword]) => KEPT.includes(keyword));
  const schema: JsonSchema = { ...Object.fromEntries(kept), type: "object" };
  ownSchemas.set(definition, schema);
  return schema;
}
