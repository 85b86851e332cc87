import { describeProblem, type Problem } from "@/lib/contract/problem";

/** A refusal in the form of the API's client. */
export interface Refusal {
  message: string;
  data?: { problems: readonly Problem[] } | null | undefined;
}

/** Messages by field; under the empty name those that belong to none. */
type FieldProblems<Field extends string> = Partial<Record<Field | "", string[]>>;

/** Lists the problems to correct; a refusal that lists none is one problem of the whole. */
export function readProblems({ message, data }: Refusal): readonly Problem[] {
  const problems = data?.problems ?? [];
  return problems.length > 0 ? problems : [{ path: "", message }];
}

/** The field of a path: its own, or the nearest one above it. */
export function findField<Field extends string>(path: string, fields: readonly Field[]): Field | "" {
  const holding = fields.filter((field) => path.startsWith(field) && /^[.[]|^$/.test(path.slice(field.length)));
  return holding.sort((one, other) => other.length - one.length)[0] ?? "";
}

/** @param root the part of the request that the form edits; paths may begin with it */
export function sortProblems<Field extends string>(
  problems: readonly Problem[],
  fields: readonly Field[],
  root: string,
): FieldProblems<Field> {
  const sorted: FieldProblems<Field> = {};
  for (const problem of problems) {
    const path = problem.path.startsWith(`${root}.`) ? problem.path.slice(root.length + 1) : problem.path;
    const field = findField(path, fields);
    const text = field === "" ? describeProblem({ ...problem, path }) : problem.message;
    sorted[field] = [...(sorted[field] ?? []), text];
  }
  return sorted;
}
