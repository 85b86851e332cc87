import { isJsonText } from "../json/is-json-text";
import { findValueEnd, skipSpace, walkMembers } from "../json/json-text";
import { hasMask, REDACTED } from "../masked-value";
import { writeField } from "./condition-field";
import { isNumberText, type Literal } from "./condition-form";

const MAX_FIELDS = 20;
const MAX_DEPTH = 3;
/** A longer text is in no other call. */
const MAX_TEXT_CHARS = 80;
/** A number with more characters is not used as a bound. */
const MAX_NUMBER_CHARS = 40;

/** An argument of a call, with the text of its value: a number keeps its digits. */
export interface CallField {
  /** The field as text: `args.customer.plan`. */
  field: string;
  keys: readonly string[];
  literal: Literal & { kind: "text" | "number" | "boolean" };
}

/** Lists the scalar arguments of a call that a condition may compare, at most 20. Secrets and long texts are left out. */
export function listCallFields(argumentsText: string): CallField[] {
  const open = skipSpace(argumentsText, 0);
  if (argumentsText[open] !== "{" || !isJsonText(argumentsText)) return [];
  const fields = new Map<string, CallField>();
  addFields(argumentsText, { open, above: [], fields });
  return [...fields.values()];
}

interface ObjectPlace {
  open: number;
  above: readonly string[];
  fields: Map<string, CallField>;
}

function addFields(text: string, { open, above, fields }: ObjectPlace): void {
  walkMembers(text, open, (quotedKey, start) => {
    const end = findValueEnd(text, start);
    const keys = [...above, JSON.parse(quotedKey) as string];
    if (text[start] === "{" && keys.length < MAX_DEPTH) addFields(text, { open: start, above: keys, fields });
    const literal = text[start] === "{" ? null : toLiteral(text.slice(start, end));
    const field = writeField({ root: "args", segments: keys });
    if (literal === null) fields.delete(field);
    else if (fields.size < MAX_FIELDS || fields.has(field)) fields.set(field, { field, keys, literal });
    return end;
  });
}

function toLiteral(valueText: string): CallField["literal"] | null {
  if (valueText === "true" || valueText === "false") return { kind: "boolean", text: valueText };
  if (valueText.length <= MAX_NUMBER_CHARS && isNumberText(valueText)) return { kind: "number", text: valueText };
  if (!valueText.startsWith('"')) return null;
  const text = JSON.parse(valueText) as string;
  if (text.length > MAX_TEXT_CHARS || hasMask(text) || text.includes(REDACTED)) return null;
  return { kind: "text", text };
}

const URL_HOST = /^[a-z][a-z0-9+.-]*:\/\/[^/?#\s]+\/?/i;
const EMAIL_DOMAIN = /^[^@\s]+(@[^@\s]+\.[^@\s]+)$/;
/** The beginning of a path, an id or a statement, as far as its first separator. */
const FIRST_PART = /^(?:\/[^/\s]+\/|[^\s/:#._-]{2,}[\s/:#._-])/;

/** A part of a text that other calls may share: where it stands, and how a condition asks for it. */
export interface TextPart {
  text: string;
  at: "start" | "end";
}

/** The origin of a URL, the domain of an address, or the first part of a path or an id. */
export function findTextPart(text: string): TextPart | null {
  const domain = EMAIL_DOMAIN.exec(text)?.[1];
  if (domain !== undefined) return { text: domain, at: "end" };
  const start = (URL_HOST.exec(text) ?? FIRST_PART.exec(text))?.[0];
  return start === undefined || start.length === text.length ? null : { text: start, at: "start" };
}
