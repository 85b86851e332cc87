import type { JsonValue } from "@/lib/contract";
import { readNumber } from "@/lib/json-schema/json-number";
import { ownKeyword } from "@/lib/json-schema/resolve-ref";
import type { FieldDraft, QuestionField } from "./question-fields";

/** What is filled in so far; a field that is not there still has what it began with. */
export interface FormDraft {
  fields: ReadonlyMap<string, FieldDraft>;
  /** Texts that shall be sent although they are empty. */
  sentEmpty: ReadonlySet<string>;
}

export interface ReadForm {
  /** Exactly what is sent: fields without a value are not in it. */
  content: Record<string, JsonValue>;
  /** By field name, in the order of the form. */
  faults: ReadonlyMap<string, string>;
}

type Read = { value: JsonValue } | { fault: string } | null;

/** The answer that the form stands for. */
export function readForm(fields: readonly QuestionField[], draft: FormDraft): ReadForm {
  const entries: [string, JsonValue][] = [];
  const faults = new Map<string, string>();
  for (const field of fields) {
    const read = readField(field, draft.fields.get(field.name) ?? field.initial, draft.sentEmpty.has(field.name));
    if (read === null) {
      if (field.required) faults.set(field.name, "An answer is required");
    } else if ("fault" in read) faults.set(field.name, read.fault);
    else entries.push([field.name, read.value]);
  }
  // Makes own properties, whatever a server calls its fields.
  return { content: Object.fromEntries(entries), faults };
}

function readField(field: QuestionField, draft: FieldDraft, sentEmpty: boolean): Read {
  if (typeof draft !== "string") return readPicked(field, draft);
  switch (field.kind) {
    case "number":
      return readAmount(field, draft.trim());
    case "json":
      return readJson(draft);
    default:
      if (draft === "" && !sentEmpty) return null;
      return judged(draft, textFault(field, draft));
  }
}

function readPicked({ kind, options, required, schema }: QuestionField, picked: readonly number[]): Read {
  const values = options.filter((_, at) => picked.includes(at)).map((option) => option.value);
  if (kind === "choice") {
    const [value] = values;
    return value === undefined ? null : { value };
  }
  if (values.length === 0 && !required) return null;
  const least = amount(schema, "minItems");
  const most = amount(schema, "maxItems");
  if (least !== null && values.length < least) return { fault: `Pick at least ${least}` };
  if (most !== null && values.length > most) return { fault: `Pick at most ${most}` };
  return { value: values };
}

function readAmount({ schema }: QuestionField, text: string): Read {
  if (text === "") return null;
  const value = readNumber(text);
  if (value === null) return { fault: "Not a number: write it like 12 or 0.5" };
  if (ownKeyword(schema, "type") === "integer" && !Number.isInteger(value))
    return { fault: "A whole number is wanted" };
  const least = amount(schema, "minimum");
  const most = amount(schema, "maximum");
  if (least !== null && value < least) return { fault: `At least ${least}` };
  if (most !== null && value > most) return { fault: `At most ${most}` };
  return { value };
}

function readJson(text: string): Read {
  if (text.trim() === "") return null;
  try {
    return { value: JSON.parse(text) };
  } catch (error) {
    return { fault: `Not JSON: ${error instanceof Error ? error.message : "it cannot be read"}` };
  }
}

function textFault({ schema }: QuestionField, text: string): string | null {
  // Characters as JSON Schema counts them.
  const length = [...text].length;
  const least = amount(schema, "minLength");
  const most = amount(schema, "maxLength");
  if (least !== null && length < least) return `At least ${least} characters, it has ${length}`;
  if (most !== null && length > most) return `At most ${most} characters, it has ${length}`;
  const format = ownKeyword(schema, "format");
  const fits = typeof format === "string" ? FORMATS.get(format) : undefined;
  return fits === undefined || fits.test(text) ? null : fits.fault;
}

interface Format {
  test: (text: string) => boolean;
  fault: string;
}

const DAY = /^\d{4}-\d{2}-\d{2}$/;
const INSTANT = /^\d{4}-\d{2}-\d{2}[Tt ]\d{2}:\d{2}:\d{2}(?:\.\d+)?(?:[Zz]|[+-]\d{2}:\d{2})$/;

/** The formats that the protocol knows. The server has the last word: these catch slips of the hand. */
const FORMATS = new Map<string, Format>([
  ["email", { test: (text) => /^[^\s@]+@[^\s@]+$/.test(text), fault: "Not an e-mail address" }],
  ["uri", { test: (text) => URL.canParse(text), fault: "Not an address: it begins with a scheme such as https://" }],
  ["date", { test: (text) => DAY.test(text) && isDay(text), fault: "Not a date: write it like 2026-01-31" }],
  [
    "date-time",
    {
      test: (text) => INSTANT.test(text) && isDay(text.slice(0, 10)) && !Number.isNaN(Date.parse(text)),
      fault: "Not a date with time and zone: write it like 2026-01-31T12:00:00Z",
    },
  ],
]);

/** The 31st of February parses to a day in March. */
function isDay(text: string): boolean {
  const day = new Date(`${text}T00:00:00Z`);
  return !Number.isNaN(day.getTime()) && day.toISOString().startsWith(text);
}

function judged(value: JsonValue, fault: string | null): Read {
  return fault === null ? { value } : { fault };
}

function amount(schema: QuestionField["schema"], keyword: string): number | null {
  const value = ownKeyword(schema, keyword);
  return typeof value === "number" && Number.isFinite(value) ? value : null;
}
