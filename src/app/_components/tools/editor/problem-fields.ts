/** Parts of the form, by the key of the definition that they edit; in the order in which a problem is looked for. */
const FIELDS = [
  "implementation.mock_response",
  "implementation.handler",
  "implementation",
  "parameters",
  "description",
  "annotations",
  "timeout_ms",
  "handler",
  "title",
  "tags",
  "name",
] as const;
export type DefinitionField = (typeof FIELDS)[number];

/** Which field a problem is about: the checker begins each with the key it means. Null when it is about the whole. */
export function fieldOf(problem: string): DefinitionField | null {
  return FIELDS.find((field) => problem.startsWith(field) && !/^\w/.test(problem.slice(field.length))) ?? null;
}

export function problemsOf(problems: readonly string[], ...fields: DefinitionField[]): string[] {
  return problems.filter((problem) => fields.some((field) => fieldOf(problem) === field));
}
