import type { JSONRPCMessage } from "@modelcontextprotocol/client";
import type { ProtocolMessage } from "../../../../lib/contract/server";

export type MessageId = string | number;

/** A message with only its envelope checked. */
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

export function getMessageKind(message: LooseMessage): ProtocolMessage["kind"] {
  if (message.method !== undefined) return message.id === undefined ? "notification" : "request";
  return "error" in message && message.error !== undefined ? "error" : "response";
}

/** The SDK's types are stricter than what is checked here; the SDK checks again. */
export const toSdkMessage = (message: LooseMessage): JSONRPCMessage => message as JSONRPCMessage;

/** Whether a message with this head may be a response: an object that does not begin with a method. */
export function looksLikeResponse(head: string): boolean {
  return /^\s*\{/.test(head) && !/^\s*\{\s*(?:"jsonrpc"\s*:\s*"2\.0"\s*,\s*)?"method"/.test(head);
}

/** Keeps the text, since a deeply nested message can be parsed and not serialized. */
export interface FoundMessage {
  message: LooseMessage;
  text: string;
}

const MAX_STARTS = 50;
/** In a longer line, only the most likely start of a message is tried. */
const LONG_LINE_CHARS = 1024 * 1024;
/** The characters that failed scans, after the first, may read of one line: each may reach the line's end. */
const MAX_WASTED_CHARS = 4 * 1024 * 1024;
/** A line without this key holds no message. */
const VERSION_KEY = '"jsonrpc"';
const MESSAGE_START = `{${VERSION_KEY}`;

/**
 * Finds the messages in a line with other text before, between or after them.
 * @returns `noise` is the rest of the line
 */
export function recoverMessages(line: string): { messages: FoundMessage[]; noise: string } {
  if (!line.includes(VERSION_KEY)) return { messages: [], noise: line };
  const messages: FoundMessage[] = [];
  let noise = "";
  let at = 0;
  let wasted = 0;
  for (let tried = 0; tried < MAX_STARTS && at < line.length; tried += 1) {
    const start = findNextStart(line, at);
    if (start === -1) break;
    const scanEnd = tried === 0 ? line.length : Math.min(line.length, start + MAX_WASTED_CHARS - wasted);
    const found = parseMessageAt(line, start, scanEnd);
    if (found === null) {
      if (tried > 0) wasted += scanEnd - start;
      if (wasted >= MAX_WASTED_CHARS) break;
      noise += line.slice(at, start + 1);
      at = start + 1;
      continue;
    }
    noise += line.slice(at, start);
    messages.push(found);
    at = found.end;
  }
  if (wasted < MAX_WASTED_CHARS) return { messages, noise: noise + line.slice(at) };
  // Data without end: a response may still follow it without a newline.
  const last = Math.max(at, line.lastIndexOf(MESSAGE_START));
  const found = parseMessageAt(line, last, Math.min(line.length, last + MAX_WASTED_CHARS));
  if (found === null) return { messages, noise: noise + line.slice(at) };
  messages.push(found);
  return { messages, noise: noise + line.slice(at, last) + line.slice(found.end) };
}

/**
 * The message at the end of a text. One that is followed by anything is part of a larger value and may be forged by a
 * tool's output.
 */
export function messageAtEnd(text: string): FoundMessage | null {
  const line = text.trimEnd();
  let start = line.indexOf("{");
  for (let tried = 0; start !== -1 && tried < MAX_STARTS * 4; tried += 1) {
    const found = parseMessageAt(line, start, line.length);
    if (found !== null && found.end === line.length) return found;
    start = line.indexOf("{", start + 1);
  }
  return null;
}

function findNextStart(line: string, from: number): number {
  return line.length > LONG_LINE_CHARS ? line.indexOf(MESSAGE_START, from) : line.indexOf("{", from);
}

function parseMessageAt(line: string, start: number, scanEnd: number): (FoundMessage & { end: number }) | null {
  const end = findObjectEnd(line, start, scanEnd);
  if (end === -1) return null;
  try {
    const text = line.slice(start, end);
    const value: unknown = JSON.parse(text);
    return isLooseMessage(value) ? { message: value, text, end } : null;
  } catch {
    return null;
  }
}

/** The index after the object's closing brace; -1 where it is not before `scanEnd`. */
function findObjectEnd(line: string, start: number, scanEnd: number): number {
  let depth = 0;
  let inString = false;
  for (let index = start; index < scanEnd; index += 1) {
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

const ANY_ID = /"id"\s*:\s*(-?\d+)/g;

/** Messages have their id near one of their ends. */
const ID_CHARS = 64 * 1024;

/** The ids near both ends of a broken line, in order. */
export function findIds(text: string): number[] {
  const ends = text.length <= 2 * ID_CHARS ? text : `${text.slice(0, ID_CHARS)} ${text.slice(-ID_CHARS)}`;
  return [...ends.matchAll(ANY_ID)].map((match) => Number(match[1]));
}
