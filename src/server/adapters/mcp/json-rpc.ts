import type { JSONRPCMessage } from "@modelcontextprotocol/client";
import type { ProtocolMessage } from "../../../lib/contract";

export type MessageId = string | number;

/** What a peer may send, as loosely as it can be told apart: its inside is judged by who reads it. */
export interface LooseMessage {
  jsonrpc: "2.0";
  id?: MessageId | null;
  method?: string;
  params?: Record<string, unknown>;
  result?: unknown;
  error?: unknown;
}

export function isLooseMessage(value: unknown): value is LooseMessage {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return false;
  const { jsonrpc, id, method } = value as Record<string, unknown>;
  if (jsonrpc !== "2.0") return false;
  const idFits = id === undefined || id === null || typeof id === "string" || typeof id === "number";
  if (!idFits) return false;
  if (typeof method === "string") return true;
  return method === undefined && id !== undefined && ("result" in value || "error" in value);
}

export function kindOf(message: LooseMessage): ProtocolMessage["kind"] {
  if (message.method !== undefined) return message.id === undefined ? "notification" : "request";
  return "error" in message && message.error !== undefined ? "error" : "response";
}

/** For the SDK, whose types are stricter than what is known here; it checks again. */
export function asMessage(message: LooseMessage): JSONRPCMessage {
  return message as JSONRPCMessage;
}

/** With its own text, since what is nested deeply can be read and not written. */
export interface FoundMessage {
  message: LooseMessage;
  text: string;
}

const MAX_STARTS = 50;
/** Above this only the likeliest start of a message is tried: a scan costs its length for each brace it begins at. */
const MAX_SCANNED_CHARS = 1024 * 1024;

/**
 * Finds the messages in a line that is none itself, because text was printed without a newline before, between or after.
 * @returns `garbage` is what is left of the line
 */
export function recoverMessages(line: string): { messages: FoundMessage[]; garbage: string } {
  const messages: FoundMessage[] = [];
  let garbage = "";
  let at = 0;
  for (let tried = 0; tried < MAX_STARTS && at < line.length; tried += 1) {
    const start = nextStart(line, at);
    if (start === -1) break;
    const found = messageAt(line, start);
    if (found === null) {
      garbage += line.slice(at, start + 1);
      at = start + 1;
      continue;
    }
    garbage += line.slice(at, start);
    messages.push(found);
    at = found.end;
  }
  return { messages, garbage: garbage + line.slice(at) };
}

/**
 * The message that a text ends with, when other text was printed before it without a newline. One that is followed by
 * anything is part of something larger, and may say whatever a tool made it say.
 */
export function messageAtEnd(text: string): FoundMessage | null {
  const line = text.trimEnd();
  let start = line.indexOf("{");
  for (let tried = 0; start !== -1 && tried < MAX_STARTS * 4; tried += 1) {
    const found = messageAt(line, start);
    if (found !== null && found.end === line.length) return found;
    start = line.indexOf("{", start + 1);
  }
  return null;
}

function nextStart(line: string, from: number): number {
  return line.length > MAX_SCANNED_CHARS ? line.indexOf('{"jsonrpc"', from) : line.indexOf("{", from);
}

function messageAt(line: string, start: number): (FoundMessage & { end: number }) | null {
  const end = endOfObject(line, start);
  if (end === -1) return null;
  try {
    const text = line.slice(start, end);
    const value: unknown = JSON.parse(text);
    return isLooseMessage(value) ? { message: value, text, end } : null;
  } catch {
    return null;
  }
}

/** Behind the brace that closes the object that begins at `start`; -1 where none does. */
function endOfObject(line: string, start: number): number {
  let depth = 0;
  let inString = false;
  for (let index = start; index < line.length; index += 1) {
    const unit = line.charCodeAt(index);
    if (inString) {
      if (unit === 92) index += 1;
      else if (unit === 34) inString = false;
    } else if (unit === 34) inString = true;
    else if (unit === 123) depth += 1;
    else if (unit === 125) {
      depth -= 1;
      if (depth === 0) return index + 1;
    }
  }
  return -1;
}

const HEAD_ID = /^\s*\{\s*(?:"jsonrpc"\s*:\s*"2\.0"\s*,\s*)?"id"\s*:\s*(-?\d+)\s*,/;
const TAIL_ID = /"id"\s*:\s*(-?\d+)\s*(?:,\s*"jsonrpc"\s*:\s*"2\.0"\s*)?\}\s*$/;
const ANY_ID = /"id"\s*:\s*(-?\d+)/g;

/** The id of a message of which only the beginning or the end is there. */
export function idInFragment({ head = "", tail = "" }: { head?: string; tail?: string }): number | null {
  const id = HEAD_ID.exec(head)?.[1] ?? TAIL_ID.exec(tail)?.[1];
  return id === undefined ? null : Number(id);
}

/** Every id that a broken line names, in order. */
export function idsIn(text: string): number[] {
  return [...text.matchAll(ANY_ID)].map((match) => Number(match[1]));
}
