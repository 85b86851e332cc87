import { type Problem, problemsOfIssues, type ToolsetInput, toolsetInputSchema } from "../../../lib/contract";
import { toolOverrideSchema } from "../../../lib/contract/toolset";

/** A file may have settings of a later version: losing one silently could let a call run that should not. */
const strictSchema = toolsetInputSchema
  .extend({ overrides: toolOverrideSchema.strict().array().max(2000).default([]) })
  .strict();

/** A toolset from a form or a file, or every problem with its field. */
export function readToolset(
  candidate: unknown,
  checkLens: (expression: string) => string | null,
): { toolset: ToolsetInput } | { problems: Problem[] } {
  const read = strictSchema.safeParse(candidate);
  if (!read.success) return { problems: problemsOfIssues(read.error.issues) };
  const toolset = read.data;
  const problems = [...repeated(toolset.overrides, "overrides", "tool"), ...repeatedNames(toolset)];
  for (const [index, { tool, lens, arguments: rules }] of toolset.overrides.entries()) {
    const fault = typeof lens === "string" ? checkLens(lens) : null;
    if (fault !== null) problems.push({ path: `overrides.${tool}.lens`, message: fault });
    problems.push(...repeated(rules, `overrides[${index}].arguments`, "name"));
  }
  return problems.length > 0 ? { problems } : { toolset };
}

function repeatedNames({ overrides }: ToolsetInput): Problem[] {
  return overrides.flatMap(({ name }, index) =>
    name !== undefined && overrides.findIndex((other) => other.name === name) < index
      ? [{ path: `overrides[${index}].name`, message: `'${name}' is the name of another tool of this toolset` }]
      : [],
  );
}

function repeated<Key extends string>(entries: readonly Record<Key, unknown>[], path: string, key: Key): Problem[] {
  return entries.flatMap((entry, index) =>
    entries.findIndex((other) => other[key] === entry[key]) < index
      ? [{ path: `${path}[${index}].${key}`, message: `'${String(entry[key])}' is listed twice` }]
      : [],
  );
}
