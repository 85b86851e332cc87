import type { ExecutionDetail } from "@/lib/contract/execution";
import { isPlainObject, readMember } from "@/lib/contract/json";
import { formatJson, isIndentable } from "@/lib/json/format-json";
import { findMember } from "@/lib/json/json-text";
import { formatNode } from "@/lib/json-diff/format-node";
import { parseJsonNode } from "@/lib/json-diff/json-node";
import { type Media, readMedia } from "./read-media";

/** The author's hint for whom a block is meant; shown, never acted on. */
export interface BlockAnnotations {
  audience: string[];
  priority: number | null;
  lastModified: string | null;
}

export interface ResourceLink {
  uri: string;
  name: string | null;
  description: string | null;
  mimeType: string | null;
  size: number | null;
}

export type AnswerBlock = { key: string; annotations: BlockAnnotations } & (
  | { kind: "text"; text: string }
  /** `said` is what the server calls it, regardless of its media type. */
  | { kind: "media"; said: "image" | "audio"; media: Media }
  | { kind: "link"; link: ResourceLink }
  | { kind: "resource"; uri: string | null; mimeType: string | null; text: string }
  | { kind: "resource_media"; uri: string | null; media: Media }
  /** A kind that is not known here, or a known one without what it needs: JSON text. */
  | { kind: "unknown"; type: string | null; text: string }
);

/** The answer of an MCP tool, ready to be shown. */
export interface ToolAnswer {
  blocks: AnswerBlock[];
  /** JSON text with every digit that was sent. */
  structuredText: string | null;
}

type Answered = Pick<ExecutionDetail, "implementationType" | "resultText" | "resultTruncated">;

const KNOWN_KINDS = new Set<unknown>(["text", "image", "audio", "resource", "resource_link"]);
/** Structured content of more values stays on one line: indenting it takes a microsecond for each. */
const MAX_FORMATTED_VALUES = 50_000;

/**
 * Reads a result as the answer of an MCP tool; null where it is not one. Every block of another tool's result must look
 * like a content block, so that a value that merely has a `content` member is left unchanged.
 */
export function readToolAnswer({ implementationType, resultText, resultTruncated }: Answered): ToolAnswer | null {
  if (resultText === null || resultTruncated || !resultText.includes('"content')) return null;
  const result = parsed(resultText);
  if (!isPlainObject(result)) return null;
  const read = blocksOfRead(implementationType, result);
  if (read !== null) {
    return { blocks: read.map((block, index) => readBlock(block, String(index))), structuredText: null };
  }
  const content = readMember(result, "content");
  if (!Array.isArray(content)) return null;
  if (implementationType !== "mcp" && !(content.every(isBlock) && content.some(isKnownBlock))) return null;
  return {
    blocks: content.map((block, index) => readBlock(block, String(index))),
    structuredText: structuredText(resultText, readMember(result, "structuredContent")),
  };
}

/** The contents of a resource and the messages of a prompt, as blocks of a tool's answer. */
function blocksOfRead(implementationType: string | null, result: Record<string, unknown>): unknown[] | null {
  if (implementationType === "resource") {
    const contents = readMember(result, "contents");
    return Array.isArray(contents) ? contents.map((resource) => ({ type: "resource", resource })) : null;
  }
  if (implementationType !== "prompt") return null;
  const messages = readMember(result, "messages");
  return Array.isArray(messages) ? messages.flatMap((message) => readMember(message, "content") ?? []) : null;
}

const isBlock = (block: unknown): boolean => typeof readMember(block, "type") === "string";

const isKnownBlock = (block: unknown): boolean => KNOWN_KINDS.has(readMember(block, "type"));

/** Servers are not trusted to follow the protocol: a block may be anything. */
export function readBlock(block: unknown, key: string): AnswerBlock {
  const common = { key, annotations: readAnnotations(readMember(block, "annotations")) };
  const type = text(readMember(block, "type"));
  switch (type) {
    case "text": {
      const said = text(readMember(block, "text"));
      if (said !== null) return { ...common, kind: "text", text: said };
      break;
    }
    case "image":
    case "audio":
      return {
        ...common,
        kind: "media",
        said: type,
        media: readMedia(readMember(block, "data"), readMember(block, "mimeType"), type),
      };
    case "resource_link": {
      const link = readLink(block);
      if (link !== null) return { ...common, kind: "link", link };
      break;
    }
    case "resource": {
      const resource = readMember(block, "resource");
      const uri = text(readMember(resource, "uri"));
      const said = text(readMember(resource, "text"));
      if (said !== null) {
        return { ...common, kind: "resource", uri, mimeType: text(readMember(resource, "mimeType")), text: said };
      }
      if (readMember(resource, "blob") !== undefined) {
        const media = readMedia(readMember(resource, "blob"), readMember(resource, "mimeType"), null);
        return { ...common, kind: "resource_media", uri, media };
      }
    }
  }
  return { ...common, kind: "unknown", type, text: formatJson(block) };
}

function readLink(block: unknown): ResourceLink | null {
  const uri = text(readMember(block, "uri"));
  if (uri === null) return null;
  const size = readMember(block, "size");
  return {
    uri,
    name: text(readMember(block, "title")) ?? text(readMember(block, "name")),
    description: text(readMember(block, "description")),
    mimeType: text(readMember(block, "mimeType")),
    size: typeof size === "number" && size >= 0 ? size : null,
  };
}

function readAnnotations(annotations: unknown): BlockAnnotations {
  const audience = readMember(annotations, "audience");
  const priority = readMember(annotations, "priority");
  return {
    audience: Array.isArray(audience) ? audience.filter((each) => typeof each === "string").slice(0, 5) : [],
    priority: typeof priority === "number" ? priority : null,
    lastModified: text(readMember(annotations, "lastModified")),
  };
}

function structuredText(resultText: string, value: unknown): string | null {
  const span = value === undefined || value === null ? null : findMember(resultText, 0, "structuredContent");
  if (span === null) return null;
  const text = resultText.slice(span.start, span.end);
  const node = isIndentable(text) ? parseJsonNode(text, { maxValues: MAX_FORMATTED_VALUES }) : null;
  return node === null ? text : formatNode(node);
}

function parsed(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return null;
  }
}

const text = (value: unknown): string | null => (typeof value === "string" ? value : null);

/** Tells whether a result has one text and nothing else. A failed call already shows that text as its error. */
export function isOneText({ blocks, structuredText }: ToolAnswer): boolean {
  return structuredText === null && blocks.length === 1 && blocks[0]?.kind === "text";
}

/** Whether a text is a JSON object or list; scalars are shown as text. */
export function looksLikeJson(said: string): boolean {
  return /^\s*[[{]/.test(said) && parsed(said) !== null;
}
