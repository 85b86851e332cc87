import type { JsonValue } from "@/lib/contract/json";
import { pointerToPath } from "@/lib/json/json-pointer";
import type { TextFault } from "./locate-fault";
import { formatPayload, prettyPayload, readPayload, rootFault } from "./payload-text";
import { NO_DRAFTS, type RawDrafts } from "./raw-drafts";

export type ArgumentsMode = "form" | "json";

interface Snapshot {
  value: JsonValue;
  text: string;
  fault: TextFault | null;
}

/** Why the last change of mode was refused; `count` distinguishes repeated refusals. */
interface Refusal {
  fault: TextFault;
  /** The raw field that holds it; null for the text of JSON mode. */
  pointer: string | null;
  count: number;
}

/** How all arguments were replaced at once. */
export type Replacement = "filled" | "example" | "reset" | "restored" | "loaded";

/** The value is the truth; the text of JSON mode is kept beside it as it was typed. */
export interface ArgumentsState {
  mode: ArgumentsMode;
  /** Why there is no form for this schema, only JSON; null where there is one. */
  formLimit: string | null;
  /** The last value that could be read. A missing key is an absent argument. */
  value: JsonValue;
  /** The text of JSON mode. */
  text: string;
  /** The value of `text`, while it can be parsed. */
  textValue: JsonValue;
  /** The position where `text` is not JSON; only in JSON mode. */
  fault: TextFault | null;
  drafts: RawDrafts;
  refusal: Refusal | null;
  /** The state before everything was replaced, until the next edit. */
  undo: { before: Snapshot; done: Replacement } | null;
  initial: Snapshot;
  /** Incremented when the whole value is replaced: fields with text of their own are remounted. */
  revision: number;
}

/** A text that a program wrote, on one line, is laid out; one that a user wrote is left as it is. */
function initialSnapshot(initialText: string): Snapshot {
  const text = initialText.trim() === "" ? "{}" : initialText;
  const read = readPayload(text);
  if (!read.ok) return { value: {}, text, fault: read.fault };
  const written = JSON.stringify(read.value) === text;
  return { value: read.value, text: written ? prettyPayload(read.value) : text, fault: null };
}

/** Starts in the form, and in JSON mode with what a form cannot show. */
export function createArgumentsState(initialText: string, formLimit: string | null = null): ArgumentsState {
  const initial = initialSnapshot(initialText);
  const { value, text, fault } = initial;
  return {
    mode: formLimit === null && fault === null && rootFault(text, value) === null ? "form" : "json",
    formLimit,
    value,
    text,
    textValue: value,
    fault,
    drafts: NO_DRAFTS,
    refusal: null,
    undo: null,
    initial,
    revision: 0,
  };
}

/** The text of JSON mode for the value: as it was typed when that still says the same, keys in the same order. */
export function formatJsonText(state: ArgumentsState): string {
  return JSON.stringify(state.textValue) === JSON.stringify(state.value) ? state.text : prettyPayload(state.value);
}

export interface ParseError {
  line: number;
  column: number;
  message: string;
}

/** Where the arguments are not JSON, in JSON mode's text or in a raw field; null when they can be sent. */
export function findParseError(state: ArgumentsState): ParseError | null {
  if (state.fault !== null) {
    const { line, column, message } = state.fault;
    return { line, column, message };
  }
  for (const [pointer, { fault }] of state.drafts) {
    return { line: fault.line, column: fault.column, message: `${pointerToPath(pointer)}: ${fault.message}` };
  }
  return null;
}

/** The exact text to send: in JSON mode what stands there, in the form the value's; null while something typed is not JSON. */
export function payloadText(state: ArgumentsState): string | null {
  if (findParseError(state) !== null) return null;
  return state.mode === "json" ? state.text : formatPayload(state.value);
}

export function isDirty(state: ArgumentsState): boolean {
  if (state.drafts.size > 0) return true;
  if (state.fault !== null || state.initial.fault !== null) return state.text !== state.initial.text;
  return JSON.stringify(state.value) !== JSON.stringify(state.initial.value);
}
