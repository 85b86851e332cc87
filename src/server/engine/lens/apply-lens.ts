import type { ToolCallResult } from "../../../lib/contract/content";
import { isPlainObject } from "../../../lib/contract/json";
import { keepText } from "../../../lib/json/known-text";
import { isToolCallResult, textOfToolResult } from "../executor/tool-call-result";

/**
 * A result with a projection in place of its data. In a result of an MCP server the texts become one block, media stay,
 * and structured content is replaced where it was sent and the projection is an object.
 */
export function withProjection(result: unknown, { value, text }: { value: unknown; text: string }): unknown {
  if (!isToolCallResult(result)) return value;
  const { structuredContent: _whole, content, ...rest } = result;
  const others = content.filter((block) => !isText(block));
  const shown = { type: "text", text: typeof value === "string" ? value : text };
  const projected: ToolCallResult = { ...rest, content: [shown, ...others] as ToolCallResult["content"] };
  if (result.structuredContent === undefined || !isPlainObject(value)) return projected;
  // Large integers have all their digits in the projection's text only.
  const kept = `${JSON.stringify(projected).slice(0, -1)},"structuredContent":${text}}`;
  projected.structuredContent = value;
  keepText(projected, kept);
  return projected;
}

/** Returns the text that a model reads of a projection. */
export function textOfProjection(result: unknown, projection: { value: unknown; text: string }): string {
  const projected = withProjection(result, projection);
  if (isToolCallResult(projected)) return textOfToolResult(projected);
  return typeof projection.value === "string" ? projection.value : projection.text;
}

const isText = (block: unknown): boolean => isPlainObject(block) && block.type === "text";
