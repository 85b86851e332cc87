import type { ExecutionEnvelope } from "../../../lib/contract/envelope";
import type { ModelView } from "../../../lib/contract/execution";
import { utf8Bytes } from "../../../lib/utf8-bytes";

export interface CutText {
  text: string;
  truncated: boolean;
}

const encoder = new TextEncoder();

/** The longest beginning of `text` within `maxBytes` of UTF-8, never ending inside a character. */
export function cutAtBytes(text: string, maxBytes: number): CutText {
  const fits = text.length * 3 <= maxBytes || (text.length <= maxBytes && utf8Bytes(text) <= maxBytes);
  if (fits) return { text, truncated: false };
  const { read } = encoder.encodeInto(text, new Uint8Array(maxBytes));
  return { text: text.slice(0, read), truncated: true };
}

/** At most `maxChars` characters (UTF-16 units, as every JavaScript tool counts), never half a surrogate pair. */
export function cutAtChars(text: string, maxChars: number): CutText {
  if (text.length <= maxChars) return { text, truncated: false };
  const last = text.charCodeAt(maxChars - 1);
  const splitsPair = last >= 0xd800 && last <= 0xdbff;
  return { text: text.slice(0, splitsPair ? maxChars - 1 : maxChars), truncated: true };
}

/** The sentence a model reads where a result was cut. */
function truncationNote(sentChars: number, totalChars: number): string {
  return `… [truncated: ${group(sentChars)} of ${group(totalChars)} characters]`;
}

const group = (count: number): string => count.toLocaleString("en-US");

/**
 * The text that a model gets for a call: a string result as it is, any other as JSON, an error as a sentence with what it
 * needs to try again; cut at `maxChars` with a note that says how much is missing.
 */
export function modelView(envelope: ExecutionEnvelope, maxChars: number): ModelView {
  return viewOfText(envelope.success ? successText(envelope.result) : failureText(envelope), maxChars);
}

/**
 * The view of a text, such as one read from a stored execution.
 * @param maxChars null for a caller whose results are not cut
 */
export function viewOfText(whole: string, maxChars: number | null): ModelView {
  const cut = cutAtChars(whole, maxChars ?? whole.length);
  return {
    text: cut.truncated ? `${cut.text}${truncationNote(cut.text.length, whole.length)}` : whole,
    sentChars: cut.text.length,
    totalChars: whole.length,
    truncated: cut.truncated,
    maxChars,
  };
}

function successText(result: unknown): string {
  return typeof result === "string" ? result : (JSON.stringify(result) ?? "null");
}

/** Says a tool's name in our own messages as the caller knows it: an address may list tools under other names. */
export function inCallersNames(text: string, catalogName: string, calledAs: string): string {
  return catalogName === calledAs ? text : text.replaceAll(`'${catalogName}'`, `'${calledAs}'`);
}

export function failureText(failure: {
  error: string;
  required_parameters?: { name: string; type: string; description?: string }[] | undefined;
}): string {
  const required = failure.required_parameters ?? [];
  if (required.length === 0) return `Error: ${failure.error}`;
  const listed = required.map(
    ({ name, type, description }) => `- ${name} (${type})${description ? `: ${description}` : ""}`,
  );
  return `Error: ${failure.error}\nRequired parameters:\n${listed.join("\n")}`;
}
