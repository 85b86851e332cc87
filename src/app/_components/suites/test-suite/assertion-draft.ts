import type { ErrorKind } from "@/lib/contract/envelope";
import type { JsonValue } from "@/lib/contract/json";
import type { Assertion, AssertionKind } from "@/lib/contract/suite";
import { getMessage } from "@/lib/get-message";

/** The draft of an assertion. */
export interface AssertionDraft {
  /** Identifies the row to React. */
  id: number;
  kind: AssertionKind;
  /** JSON of the expected value, or the schema. */
  json: string;
  /** Paths, one per line. */
  ignore: string;
  path: string;
  is: "equals" | "contains" | "exists" | "absent";
  error: ErrorKind;
  message: string;
  number: string;
}

export const KIND_WORDS: Record<AssertionKind, string> = {
  equals: "Result equals",
  subset: "Result contains",
  path: "Value at a path",
  schema: "Result matches a schema",
  error: "Call fails with",
  time: "Time at most",
  size: "Size at most",
};

export const ERROR_KINDS = Object.keys({
  tool_error: 1,
  invalid_arguments: 1,
  timeout: 1,
  unavailable: 1,
  not_found: 1,
  handler_not_found: 1,
  sign_in_needed: 1,
  cancelled: 1,
  interrupted: 1,
  not_recorded: 1,
  rejected: 1,
  approval_expired: 1,
  approval_pending: 1,
  tool_changed: 1,
  definition_changed: 1,
  rule: 1,
  unexpected: 1,
} satisfies Record<ErrorKind, 1>) as ErrorKind[];

let lastId = 0;

const BLANK: Omit<AssertionDraft, "id"> = {
  kind: "equals",
  json: "",
  ignore: "",
  path: "",
  is: "equals",
  error: "tool_error",
  message: "",
  number: "",
};

export function createDraft(more: Partial<AssertionDraft> = {}): AssertionDraft {
  lastId += 1;
  return { ...BLANK, ...more, id: lastId };
}

const write = (value: unknown): string => JSON.stringify(value, null, 2);

export function toDraft(assertion: Assertion): AssertionDraft {
  const { kind } = assertion;
  switch (kind) {
    case "equals":
      return createDraft({ kind, json: write(assertion.value), ignore: (assertion.ignore ?? []).join("\n") });
    case "subset":
      return createDraft({ kind, json: write(assertion.value) });
    case "path": {
      const { path, is, value } = assertion;
      return createDraft({ kind, path, is, json: value === undefined ? "" : write(value) });
    }
    case "schema":
      return createDraft({ kind, json: write(assertion.schema) });
    case "error":
      return createDraft({ kind, error: assertion.error, message: assertion.message ?? "" });
    case "time":
      return createDraft({ kind, number: String(assertion.maxMs) });
    case "size":
      return createDraft({ kind, number: String(assertion.maxBytes) });
  }
}

/** @throws Error that names the problem */
export function readAssertion(draft: AssertionDraft): Assertion {
  const { kind, is, path, error } = draft;
  if (kind === "time") return { kind, maxMs: readNumber(draft.number) };
  if (kind === "size") return { kind, maxBytes: readNumber(draft.number) };
  if (kind === "error") return { kind, error, ...(draft.message.trim() === "" ? {} : { message: draft.message }) };
  if (kind === "path") {
    const needsValue = is === "equals" || is === "contains";
    return { kind, path: path.trim(), is, ...(needsValue ? { value: readJson(draft.json) } : {}) };
  }
  const value = readJson(draft.json);
  if (kind === "schema") {
    if (typeof value !== "object" || value === null || Array.isArray(value))
      throw new Error("must be a JSON Schema object");
    return { kind, schema: value };
  }
  if (kind === "subset") return { kind, value };
  const ignore = draft.ignore.split("\n").flatMap((line) => line.trim() || []);
  return { kind, value, ...(ignore.length > 0 ? { ignore } : {}) };
}

export function readJson(text: string): JsonValue {
  try {
    return JSON.parse(text) as JsonValue;
  } catch (error) {
    throw new Error(text.trim() === "" ? "enter a JSON value" : `is not JSON: ${getMessage(error)}`);
  }
}

function readNumber(text: string): number {
  const value = Number(text);
  if (/^\d{1,10}$/.test(text.trim()) && value > 0) return value;
  throw new Error("must be an integer above 0");
}
