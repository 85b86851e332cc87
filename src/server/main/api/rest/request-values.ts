import type { z } from "zod";
import { type Problem, problemsOfIssues } from "../../../../lib/contract/problem";
import { getMessage } from "../../../../lib/get-message";
import { isBeyondLimits, isNestedDeeperThan } from "../../../../lib/json/limits";
import { INLINE_CHARS, parseJsonInSlices } from "../../../../lib/parse-in-slices";
import { readKind, readParameter } from "../../../platform/api/schema-kind";
import { AppError, invalidInput } from "../../../platform/shared/app-error";

const MAX_BODY_LEVELS = 1000;

/** Parses a body or query. @throws AppError that names each field, and for an unknown one those that exist */
export function parseInput(schema: z.ZodObject, value: unknown, what: "body" | "query"): unknown {
  const read = schema.safeParse(value);
  if (read.success) return read.data;
  const problems = read.error.issues.flatMap((issue): Problem[] => {
    if (issue.code !== "unrecognized_keys") return problemsOfIssues([issue]);
    const unknown = issue.keys.map((key) => ({
      ...issue,
      path: [...issue.path, key.slice(0, 80)],
      message: "is unknown",
    }));
    const known = Object.keys(schema.shape);
    const hint = issue.path.length > 0 ? "" : known.length === 0 ? ": none exists" : `: use ${known.join(", ")}`;
    return problemsOfIssues(unknown).map(({ path, message }) => ({ path, message: message + hint }));
  });
  throw invalidInput(
    "",
    problems.map(({ path, message }) => ({ path: path || what, message })),
    ": ",
  );
}

/** The parameters of a query: a list for those that may be repeated, integers for fields that are numbers. */
export function readQuery(searchParams: URLSearchParams, schema: z.ZodObject): unknown {
  const query: Record<string, unknown> = {};
  const repeated: Problem[] = [];
  for (const name of new Set(searchParams.keys())) {
    const values = searchParams.getAll(name);
    const field = Object.hasOwn(schema.shape, name) ? (schema.shape[name] as z.ZodType) : undefined;
    const isList = field !== undefined && takesList(field);
    if (!isList && values.length > 1) repeated.push({ path: name, message: "may be given once" });
    const value = isList ? values : readParameter(field, values[0] ?? "");
    Object.defineProperty(query, name, { value, enumerable: true });
  }
  if (repeated.length > 0) throw invalidInput("", repeated, ": ");
  return query;
}

export const takesList = (schema: z.ZodType): boolean => readKind(schema) === "array";

/** @returns the text too, since a repeated request is known by it */
export async function readBody(request: Request): Promise<{ text: string; value: unknown }> {
  const text = await request.text();
  if (text.trim() === "") return { text, value: {} };
  let value: unknown;
  try {
    value = text.length > INLINE_CHARS ? await parseJsonInSlices(text) : JSON.parse(text);
  } catch (error) {
    const reason = getMessage(error);
    throw new AppError("INVALID", `The body ${isBeyondLimits(error) ? "is refused" : "is not JSON"}: ${reason}`);
  }
  // A longer text is parsed in slices, which refuses it from the same level on.
  if (text.length <= INLINE_CHARS && isNestedDeeperThan(value, MAX_BODY_LEVELS)) {
    throw new AppError("INVALID", `The body is nested deeper than ${MAX_BODY_LEVELS} levels`);
  }
  return { text, value };
}
