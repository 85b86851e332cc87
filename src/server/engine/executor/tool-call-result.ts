import type { ToolCallResult } from "../../../lib/contract/content";
import { isPlainObject } from "../../../lib/contract/json";
import { toMemberText } from "../../../lib/json/exact-text";
import { findMember } from "../../../lib/json/json-text";
import { withMembers } from "../../../lib/json/known-text";
import { toUsualText } from "../../../lib/json/usual-text";
import { stripControlCharacters } from "../../../lib/strip-control-characters";

/**
 * The text that a model gets for the result of an MCP tool: text blocks as they are, one after the other; what is no text
 * is named with its kind, type and size (OUT-02). An answer without blocks gives its structured content as JSON.
 */
export function textOfToolResult(result: ToolCallResult): string {
  if (result.content.length > 0) return result.content.map(textOfBlock).join("\n");
  return result.structuredContent === undefined ? "" : (toMemberText(result, "structuredContent") ?? "");
}

/**
 * The text of a result's JSON text, whose structured content is not parsed: it may have half a million lists. Null for
 * another JSON text.
 * @throws SyntaxError
 */
export function textOfStoredResult(text: string): string | null {
  const content = findMember(text, 0, "content");
  const blocks: unknown = content === null ? null : JSON.parse(text.slice(content.start, content.end));
  if (!Array.isArray(blocks)) return null;
  if (blocks.length > 0) return blocks.map(textOfBlock).join("\n");
  const structured = findMember(text, 0, "structuredContent");
  return structured === null ? "" : toUsualText(text.slice(structured.start, structured.end));
}

/** The server's own words for an answer with `isError` (ERR-04), without what is meant for terminals. */
export function readErrorText(result: ToolCallResult): string {
  const text = stripControlCharacters(textOfToolResult(result)).trim();
  return text === "" ? "The tool failed without a message" : text;
}

export function isToolCallResult(value: unknown): value is ToolCallResult {
  return isPlainObject(value) && Array.isArray(value.content);
}

/**
 * A copy that leaves out media, the largest first, until its JSON text is `excessChars` shorter; each placeholder has
 * the number of bytes. Null where the media are smaller than that.
 */
export function withoutLargestMedia(result: ToolCallResult, excessChars: number): ToolCallResult | null {
  const media = result.content
    .map((block, index) => ({ index, chars: readMedia(block)?.length ?? 0 }))
    .sort((one, other) => other.chars - one.chars);
  const content: unknown[] = [...result.content];
  let left = excessChars;
  for (const { index, chars } of media) {
    if (left <= 0 || chars === 0) break;
    content[index] = withoutMedia(result.content[index]);
    left -= chars - NOTE_CHARS;
  }
  return left > 0 ? null : withMembers(result, { content });
}

/** The length of `"left_out_bytes":12345678,`. */
const NOTE_CHARS = 30;

function readMedia(block: unknown): string | undefined {
  if (!isPlainObject(block)) return undefined;
  if (isText(block.data)) return block.data;
  return isPlainObject(block.resource) && isText(block.resource.blob) ? block.resource.blob : undefined;
}

function withoutMedia(block: unknown): unknown {
  if (!isPlainObject(block)) return block;
  const left_out_bytes = base64Bytes(readMedia(block) ?? "");
  if (isText(block.data)) return { ...block, data: "", left_out_bytes };
  return { ...block, resource: { ...(block.resource as object), blob: "", left_out_bytes } };
}

/** Servers are not trusted to follow the protocol: a block may be anything. */
export function textOfBlock(block: unknown): string {
  if (!isPlainObject(block)) return JSON.stringify(block) ?? "null";
  switch (block.type) {
    case "text":
      return typeof block.text === "string" ? block.text : JSON.stringify(block);
    case "image":
    case "audio":
      return leftOut(block.type, block.mimeType, block.data, block.left_out_bytes);
    case "resource_link":
      return `[resource link: ${[block.uri, block.name, block.mimeType].filter(isText).join(", ")}]`;
    case "resource":
      return textOfResource(block.resource);
    default:
      return JSON.stringify(block);
  }
}

function textOfResource(resource: unknown): string {
  if (!isPlainObject(resource)) return "[resource without content]";
  if (isText(resource.text)) return resource.text;
  return leftOut(
    `resource ${isText(resource.uri) ? resource.uri : ""}`.trim(),
    resource.mimeType,
    resource.blob,
    resource.left_out_bytes,
  );
}

function leftOut(kind: string, mimeType: unknown, base64: unknown, leftOutBytes: unknown): string {
  const type = isText(mimeType) ? mimeType : "unknown type";
  const bytes = typeof leftOutBytes === "number" ? leftOutBytes : isText(base64) ? base64Bytes(base64) : 0;
  return `[${kind} left out: ${type}, ${bytes} bytes]`;
}

export function base64Bytes(text: string): number {
  const padding = text.endsWith("==") ? 2 : text.endsWith("=") ? 1 : 0;
  return Math.max(0, Math.floor((text.length * 3) / 4) - padding);
}

const isText = (value: unknown): value is string => typeof value === "string";
