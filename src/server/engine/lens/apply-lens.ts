import type { ToolCallResult } from "../../../lib/contract/content";
import { isPlainObject } from "../../../lib/contract/json";
import { isToolCallResult, textOfToolResult } from "../executor/tool-call-result";

/**
 * A result with a projection in place of its data. Of a result of an MCP server the texts become one block, media stay, and
 * structured content is replaced where it was sent and the projection is an object.
 */
export function withProjection(result: unknown, { value, text }: { value: unknown; text: string }): unknown {
  if (!isToolCallResult(result)) return value;
  const { structuredContent: _whole, content, ...rest } = result;
  const others = content.filter((block) => !isText(block));
  const shown = { type: "text", text: typeof value === "string" ? value : text };
  const projected: ToolCallResult = { ...rest, content: [shown, ...others] as ToolCallResult["content"] };
  if (result.structuredContent !== undefined && isPlainObject(value)) projected.structuredContent = value;
  return projected;
}

/** What a model reads of it. */
export function textOfProjection(result: unknown, projection: { value: unknown; text: string }): string {
  const projected = withProjection(result, projection);
  if (isToolCallResult(projected)) return textOfToolResult(projected);
  return typeof projection.value === "string" ? projection.value : projection.text;
}

function isText(block: unknown): boolean {
  return isPlainObject(block) && block.type === "text";
}
