import { writeJsonStart } from "./json-start";
import type { Problem } from "./problem-schema";

export type { Problem } from "./problem-schema";

export function describeProblem({ path, message }: Problem, separator = " "): string {
  return path === "" ? message : `${path}${separator}${message}`;
}

const MAX_VALUE_CHARS = 60;

/** A value that is not what was expected, for the end of a message; cut where it is long. */
export function describeValue(value: unknown): string {
  if (value === undefined) return "nothing";
  const text = writeJsonStart(value, MAX_VALUE_CHARS) ?? String(value);
  return text.length > MAX_VALUE_CHARS ? `${text.slice(0, MAX_VALUE_CHARS)}…` : text;
}

/** Turns the issues of a zod schema into problems. */
export function problemsOfIssues(issues: readonly { path: readonly PropertyKey[]; message: string }[]): Problem[] {
  return issues.map(({ path, message }) => ({ path: dottedPath(path), message: toRequirement(message) }));
}

const SIZES: Record<string, string> = { "<=": "at most", "<": "less than", ">=": "at least", ">": "more than" };

/** Rewrites Zod's default messages. Its global error map is not used, since libraries share this Zod. */
function toRequirement(message: string): string {
  const [, verb, sign = "", limit = ""] = /^Too \w+: expected \w+ to (be|have) ([<>]=?)(.+)$/.exec(message) ?? [];
  if (verb !== undefined)
    return `must ${verb} ${SIZES[sign]} ${limit.replace(" items", " entries").replace("properties", "keys")}`;
  const [, expected, received] = /^Invalid input: expected (\w+), received (\w+)$/.exec(message) ?? [];
  if (received === "undefined") return "is required";
  if (expected !== undefined) return expected === "int" ? "must be an integer" : `must be of type ${expected}`;
  return message.replace(/^Invalid option: expected one of /, "must be one of ");
}

function dottedPath(path: readonly PropertyKey[]): string {
  return path.reduce<string>(
    (text, key) => (typeof key === "number" ? `${text}[${key}]` : text === "" ? String(key) : `${text}.${String(key)}`),
    "",
  );
}
