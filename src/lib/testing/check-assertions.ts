import type { ErrorKind } from "../contract/envelope";
import type { JsonSchema } from "../contract/json";
import { writeJsonStart } from "../contract/json-start";
import type { Assertion, TestProblem } from "../contract/suite";
import { formatBytes } from "../format/bytes";
import { formatDuration } from "../format/duration";
import { pointerToPath } from "../json/json-pointer";
import { hasMask } from "../masked-value";
import { type Difference, findDifferences } from "./find-differences";
import { readPath } from "./read-path";

export interface CallOutcome {
  succeeded: boolean;
  /** JSON text; null without a result. */
  resultText: string | null;
  resultTruncated: boolean;
  resultBytes: number | null;
  error: string | null;
  errorKind: ErrorKind | null;
  durationMs: number | null;
}

/** The problems of a value by a schema; empty without any. */
export type CheckSchema = (schema: JsonSchema, value: unknown) => Promise<{ path: string; message: string }[]>;

const MAX_VALUE_CHARS = 400;
const MAX_PROBLEMS = 20;

type Value = { value: unknown } | { missing: string };

/** Everything that is not as the assertions say; empty where the test passes. `error` problems are of calls that had to succeed. */
export async function checkAssertions(
  assertions: readonly Assertion[],
  outcome: CallOutcome,
  checkSchema: CheckSchema,
): Promise<{ status: "passed" | "failed" | "error"; problems: TestProblem[] }> {
  const expectsError = assertions.some(({ kind }) => kind === "error");
  if (!outcome.succeeded && !expectsError) {
    return { status: "error", problems: [toProblem("error", `the call failed: ${outcome.error ?? "no reason"}`)] };
  }
  const value = readResult(outcome);
  const problems: TestProblem[] = [];
  for (const assertion of assertions) {
    problems.push(...(await checkAssertion(assertion, outcome, value, checkSchema)));
    if (problems.length >= MAX_PROBLEMS) break;
  }
  return { status: problems.length === 0 ? "passed" : "failed", problems: problems.slice(0, MAX_PROBLEMS) };
}

function readResult({ resultText, resultTruncated }: CallOutcome): Value {
  if (resultText === null) return { missing: "the call has no result" };
  if (resultTruncated) return { missing: "the result is larger than what is stored of it, so it cannot be compared" };
  try {
    return { value: JSON.parse(resultText) };
  } catch {
    return { missing: "the stored result is no JSON" };
  }
}

async function checkAssertion(
  assertion: Assertion,
  outcome: CallOutcome,
  result: Value,
  checkSchema: CheckSchema,
): Promise<TestProblem[]> {
  const { kind } = assertion;
  if (kind === "error") return checkError(assertion, outcome);
  if (kind === "time") {
    const { durationMs } = outcome;
    if (durationMs !== null && durationMs <= assertion.maxMs) return [];
    const actual = durationMs === null ? "not run" : formatDuration(durationMs);
    return [toProblem("time", `took longer than ${formatDuration(assertion.maxMs)}`, { actual })];
  }
  if (kind === "size") {
    const bytes = outcome.resultBytes ?? 0;
    if (bytes <= assertion.maxBytes) return [];
    return [toProblem("size", `is larger than ${formatBytes(assertion.maxBytes)}`, { actual: formatBytes(bytes) })];
  }
  if ("missing" in result) return [toProblem(kind, result.missing)];
  if (kind === "schema") {
    const faults = await checkSchema(assertion.schema, result.value);
    return faults.map(({ path, message }) => ({ ...toProblem("schema", message), path }));
  }
  if (kind === "path") return checkPath(assertion, result.value);
  return checkValue(assertion, result.value);
}

function checkValue(assertion: Extract<Assertion, { kind: "equals" | "subset" }>, value: unknown): TestProblem[] {
  const options = assertion.kind === "subset" ? { isSubset: true } : { ignore: assertion.ignore ?? [] };
  return findDifferences(assertion.value, value, options).map((difference) =>
    describeDifference(assertion.kind, difference),
  );
}

const DIFFERENCE_WORDS = { changed: "is different", missing: "is missing", unexpected: "is not expected" } as const;

/** A difference as a problem of a test, with short texts of both values. */
export function describeDifference(assertion: string, difference: Difference): TestProblem {
  const { pointer, kind } = difference;
  return {
    assertion,
    path: pointerToPath(pointer),
    message: DIFFERENCE_WORDS[kind],
    expected: kind === "unexpected" ? null : toShortText(difference.expected),
    actual: kind === "missing" ? null : toShortText(difference.actual),
  };
}

function checkError(
  { error, message }: Extract<Assertion, { kind: "error" }>,
  { succeeded, errorKind, error: actual }: CallOutcome,
): TestProblem[] {
  if (succeeded) return [toProblem("error", "the call succeeded", { expected: error })];
  if (errorKind !== error) {
    return [toProblem("error", "the call failed in another way", { expected: error, actual: errorKind ?? "unknown" })];
  }
  if (message === undefined || actual?.includes(message) === true || hasMask(actual ?? "")) return [];
  return [toProblem("error", "the message is another one", { expected: message, actual: actual ?? "" })];
}

function checkPath(assertion: Extract<Assertion, { kind: "path" }>, result: unknown): TestProblem[] {
  const { path: pointer, is } = assertion;
  const at = readPath(result, pointer);
  const path = pointerToPath(pointer);
  if (is === "absent") return at.found ? [report("is not expected", null, at.value)] : [];
  if (!at.found) return [report("is missing", is === "exists" ? null : assertion.value)];
  if (is === "exists") return [];
  if (is === "contains") {
    return contains(at.value, assertion.value) ? [] : [report("does not contain it", assertion.value, at.value)];
  }
  return findDifferences(assertion.value, at.value).map((difference) =>
    describeDifference("path", { ...difference, pointer: `${pointer}${difference.pointer}` }),
  );

  function report(message: string, expected: unknown, actual?: unknown): TestProblem {
    return {
      assertion: "path",
      path,
      message,
      expected: expected === null ? null : toShortText(expected),
      actual: at.found ? toShortText(actual) : null,
    };
  }
}

/** A part of a text, an item of a list, or the members of an object. */
function contains(value: unknown, part: unknown): boolean {
  if (typeof value === "string" && hasMask(value)) return true;
  if (typeof value === "string") return value.includes(typeof part === "string" ? part : (JSON.stringify(part) ?? ""));
  const isItem = Array.isArray(value) && !Array.isArray(part);
  return findDifferences(isItem ? [part] : part, value, { isSubset: true, most: 1 }).length === 0;
}

function toProblem(
  assertion: string,
  message: string,
  { expected = null, actual = null }: { expected?: string | null; actual?: string | null } = {},
): TestProblem {
  return { assertion, path: "", message: cut(message), expected, actual };
}

function toShortText(value: unknown): string {
  return cut(value === undefined ? "nothing" : (writeJsonStart(value, MAX_VALUE_CHARS) ?? String(value)));
}

function cut(text: string): string {
  return text.length > MAX_VALUE_CHARS ? `${text.slice(0, MAX_VALUE_CHARS)}…` : text;
}
