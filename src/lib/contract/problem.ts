/** One thing wrong with a request. */
export interface Problem {
  /** Dotted path within what is checked, `prices[0].model`; empty for the whole. */
  path: string;
  /** Reads on after the path, `must be a number`; a sentence of its own where the path is empty. */
  message: string;
}

export function describeProblem({ path, message }: Problem, separator = " "): string {
  return path === "" ? message : `${path}${separator}${message}`;
}

/** What a zod schema found. */
export function problemsOfIssues(issues: readonly { path: readonly PropertyKey[]; message: string }[]): Problem[] {
  return issues.map(({ path, message }) => ({ path: dottedPath(path), message }));
}

function dottedPath(path: readonly PropertyKey[]): string {
  return path.reduce<string>(
    (text, key) => (typeof key === "number" ? `${text}[${key}]` : text === "" ? String(key) : `${text}.${String(key)}`),
    "",
  );
}
