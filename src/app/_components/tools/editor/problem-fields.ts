import { fieldOf } from "@/app/_kit/problems";
import { describeProblem, type Problem } from "@/lib/contract/problem";

/** Parts of the form, by the key of the definition that they edit. */
const FIELDS = [
  "implementation.mock_response",
  "implementation.handler",
  "implementation",
  "parameters",
  "description",
  "annotations",
  "sensitive.arguments",
  "sensitive.results",
  "sensitive",
  "timeout_ms",
  "handler",
  "title",
  "tags",
  "name",
] as const;
export type DefinitionField = (typeof FIELDS)[number];

/** Whether the form has a field for it. */
export function hasField({ path }: Problem): boolean {
  return fieldOf(path, FIELDS) !== "";
}

export function problemsOf(problems: readonly Problem[], field: DefinitionField): string[] {
  return problems.filter(({ path }) => fieldOf(path, FIELDS) === field).map((problem) => describeProblem(problem));
}
