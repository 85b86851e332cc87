import { type Problem, problemsOfIssues } from "../../../lib/contract/problem";
import { namingTools, type ToolsetInput, toolOverrideSchema, toolsetInputSchema } from "../../../lib/contract/toolset";

/** A file may have settings of a later version: losing one silently could let a call run that should not. */
const strictSchema = toolsetInputSchema
  .extend({ overrides: namingTools(toolOverrideSchema.strict().array().max(2000)).default([]) })
  .strict();

/** A toolset from a form or a file, or every problem with its field. */
export function readToolset(
  candidate: unknown,
  checkLens: (expression: string) => string | null,
): { toolset: ToolsetInput } | { problems: Problem[] } {
  const read = strictSchema.safeParse(candidate);
  if (!read.success) return { problems: problemsOfIssues(read.error.issues) };
  const toolset = read.data;
  const problems = [
    ...repeated(
      toolset.overrides.map(({ tool }) => tool),
      "overrides",
    ),
    ...repeatedNames(toolset),
    ...findLensProblems(toolset, checkLens),
  ];
  for (const { tool, arguments: rules } of toolset.overrides) {
    problems.push(
      ...repeated(
        rules.map(({ name }) => name),
        `overrides.${tool}.arguments`,
      ),
    );
  }
  return problems.length > 0 ? { problems } : { toolset };
}

/** Finds lenses of the overrides that are not valid expressions. */
export function findLensProblems(
  { overrides }: Pick<ToolsetInput, "overrides">,
  checkLens: (expression: string) => string | null,
): Problem[] {
  return overrides.flatMap(({ tool, lens }) => {
    const fault = typeof lens === "string" ? checkLens(lens) : null;
    return fault === null ? [] : [{ path: `overrides.${tool}.lens`, message: fault }];
  });
}

function repeatedNames({ overrides }: ToolsetInput): Problem[] {
  return overrides.flatMap(({ tool, name }, index) =>
    name !== undefined && overrides.findIndex((other) => other.name === name) < index
      ? [{ path: `overrides.${tool}.name`, message: `'${name}' is the name of another tool of this toolset` }]
      : [],
  );
}

function repeated(names: readonly string[], path: string): Problem[] {
  return names.flatMap((name, index) =>
    names.indexOf(name) < index ? [{ path: `${path}.${name}`, message: "is listed twice" }] : [],
  );
}
