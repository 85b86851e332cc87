import { isPlainObject } from "@/lib/contract/json";
import { formatJson } from "@/lib/json/format-json";

export interface ContentPart {
  uri: string | null;
  mimeType: string | null;
  text: string | null;
  /** Encoded as base64. */
  blob: string | null;
}

/** The number of parts shown of one response; copying includes all of them. */
const MAX_PARTS = 200;

const textIn = (value: Record<string, unknown>, key: string): string | null => {
  const held = Object.hasOwn(value, key) ? value[key] : undefined;
  return typeof held === "string" ? held : null;
};

/** The parts of a resource; null for an answer of another shape, which is shown as it is. */
export function readContents(answerText: string): { parts: ContentPart[]; left: number } | null {
  const answer = parsed(answerText);
  const contents = isPlainObject(answer) && Object.hasOwn(answer, "contents") ? answer.contents : null;
  if (!Array.isArray(contents)) return null;
  const parts = contents.slice(0, MAX_PARTS).map(toPart);
  return { parts, left: Math.max(contents.length - MAX_PARTS, 0) };
}

function toPart(entry: unknown): ContentPart {
  const part = isPlainObject(entry) ? entry : {};
  return {
    uri: textIn(part, "uri"),
    mimeType: textIn(part, "mimeType"),
    text: textIn(part, "text"),
    blob: textIn(part, "blob"),
  };
}

interface PromptPart {
  role: string;
  /** A text block's text; null for other kinds. */
  text: string | null;
  media: ContentPart | null;
  /** The block as received: JSON text. */
  raw: string;
}

/** The messages of a prompt; null for an answer of another shape, which is shown as it is. */
export function readMessages(
  answerText: string,
): { description: string | null; messages: PromptPart[]; left: number } | null {
  const answer = parsed(answerText);
  if (!isPlainObject(answer) || !Object.hasOwn(answer, "messages") || !Array.isArray(answer.messages)) return null;
  const messages = answer.messages.slice(0, MAX_PARTS).map(toMessage);
  return {
    description: textIn(answer, "description"),
    messages,
    left: Math.max(answer.messages.length - MAX_PARTS, 0),
  };
}

function toMessage(entry: unknown): PromptPart {
  const message = isPlainObject(entry) ? entry : {};
  const content = Object.hasOwn(message, "content") ? message.content : null;
  const block = isPlainObject(content) ? content : {};
  return {
    role: textIn(message, "role") ?? "(no role)",
    text: textIn(block, "type") === "text" ? textIn(block, "text") : null,
    media: readMedia(block),
    raw: formatJson(content ?? null),
  };
}

function readMedia(block: Record<string, unknown>): ContentPart | null {
  const type = textIn(block, "type");
  if (type === "image" || type === "audio") {
    return { uri: null, mimeType: textIn(block, "mimeType"), text: null, blob: textIn(block, "data") };
  }
  return type === "resource" && Object.hasOwn(block, "resource") ? toPart(block.resource) : null;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

const BASE64 = /^[A-Za-z0-9+/\s]*={0,2}\s*$/;
/** Pictures of kinds that cannot carry a script. */
const IMAGE = /^image\/(?:png|jpeg|gif|webp|avif)$/i;

/** The address of a base64 picture, which needs no server; null for any other content. */
export function imageUrl({ mimeType, blob }: ContentPart): string | null {
  if (mimeType === null || blob === null || !IMAGE.test(mimeType) || !BASE64.test(blob)) return null;
  return `data:${mimeType.toLowerCase()};base64,${blob}`;
}

/** The number of bytes that base64 text encodes. */
export function decodedBytes(base64: string): number {
  const digits = base64.replace(/[\s=]/g, "").length;
  return Math.floor((digits * 3) / 4);
}

/** Whether text is JSON with something to unfold. */
export function isJsonTree(text: string): boolean {
  if (!/^\s*[[{]/.test(text)) return false;
  const value = parsed(text);
  return typeof value === "object" && value !== null;
}
