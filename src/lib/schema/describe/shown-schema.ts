import { isPlainObject, type JsonSchema } from "../../contract/json";
import type { ArgumentRule } from "../../contract/toolset";

export const REASON = "reason";
const REASON_SCHEMA = { type: "string", description: "Why you make this call, in one sentence." };
/** Schemas that repeat the arguments of their root. */
const BRANCHES = ["allOf", "anyOf", "oneOf"] as const;
const MAX_LEVELS = 4;

/** The arguments that a tool's schema names at its root. */
export function argumentNames({ properties }: JsonSchema): string[] {
  return isPlainObject(properties) ? Object.keys(properties) : [];
}

/** The schema without fixed and hidden arguments; those with a default are optional. */
export function toShownSchema(schema: JsonSchema, rules: readonly ArgumentRule[], askReason: boolean): JsonSchema {
  if (rules.length === 0 && !askReason) return schema;
  const gone = new Set(rules.filter(({ mode }) => mode !== "default").map(({ name }) => name));
  const defaults = new Map(rules.flatMap((rule) => (rule.mode === "default" ? [[rule.name, rule.value]] : [])));
  const optional = new Set([...gone, ...defaults.keys()]);
  const shown = rules.length === 0 ? { ...schema } : withoutArguments(schema, gone, optional);
  const properties = isPlainObject(shown.properties) ? Object.entries(shown.properties) : [];
  const described = properties.map(([name, property]) =>
    defaults.has(name) && isPlainObject(property)
      ? [name, { ...property, default: defaults.get(name) }]
      : [name, property],
  );
  shown.properties = Object.fromEntries(askReason ? [...described, [REASON, REASON_SCHEMA]] : described);
  return shown;
}

function withoutArguments(
  schema: JsonSchema,
  gone: ReadonlySet<string>,
  optional: ReadonlySet<string>,
  levels = MAX_LEVELS,
): JsonSchema {
  const shown: JsonSchema = { ...schema };
  const { properties, required, dependentRequired } = schema;
  if (isPlainObject(properties)) {
    shown.properties = Object.fromEntries(Object.entries(properties).filter(([name]) => !gone.has(name)));
  }
  if (Array.isArray(required)) shown.required = required.filter((name) => !optional.has(name as string));
  if (isPlainObject(dependentRequired)) {
    const left = Object.entries(dependentRequired).filter(([name]) => !gone.has(name));
    shown.dependentRequired = Object.fromEntries(
      left.map(([name, needed]) => [
        name,
        Array.isArray(needed) ? needed.filter((each) => !optional.has(each)) : needed,
      ]),
    );
  }
  for (const key of BRANCHES) {
    const branches = schema[key];
    if (levels === 0 || !Array.isArray(branches)) continue;
    shown[key] = branches.map((branch: unknown) =>
      isPlainObject(branch) ? withoutArguments(branch, gone, optional, levels - 1) : branch,
    );
  }
  return shown;
}
