import { type ExecutionEnvelope, isPlainObject, type ToolCallResult, type ToolDefinition } from "../../lib/contract";
import { failureText } from "../engine/output-limits";

/**
 * An execution as the answer to `tools/call`. What an MCP tool answered goes on as it came; a tool of our own answers text,
 * and `structuredContent` where it has promised some. Failures are results with `isError`, so that a model reads them.
 */
export function toCallResult(envelope: ExecutionEnvelope, definition: ToolDefinition | undefined): ToolCallResult {
  const fromServer = definition?.implementation.type === "mcp";
  if (envelope.success) return fromServer ? wholeAnswer(envelope.result) : ownAnswer(envelope.result, definition);
  if (fromServer && isAnswer(envelope.result)) return { ...envelope.result, isError: true };
  return { content: [{ type: "text", text: failureText(envelope) }], isError: true };
}

function isAnswer(result: unknown): result is ToolCallResult {
  return isPlainObject(result) && Array.isArray(result.content);
}

function wholeAnswer(result: unknown): ToolCallResult {
  return isAnswer(result) ? result : { content: [{ type: "text", text: textOf(result) }] };
}

function ownAnswer(result: unknown, definition: ToolDefinition | undefined): ToolCallResult {
  const answer: ToolCallResult = { content: [{ type: "text", text: textOf(result) }] };
  if (definition?.outputSchema !== undefined && isPlainObject(result)) answer.structuredContent = result;
  return answer;
}

function textOf(result: unknown): string {
  return typeof result === "string" ? result : (JSON.stringify(result) ?? "null");
}
