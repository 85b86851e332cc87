import type { ToolCallResult } from "../../../lib/contract/content";
import type { ExecutionEnvelope } from "../../../lib/contract/envelope";
import { isPlainObject } from "../../../lib/contract/json";
import type { ToolDefinition } from "../../../lib/contract/tool-definition";
import { toJsonText, withMembers } from "../../../lib/json/known-text";
import { failureText, inCallersNames } from "../../engine/executor/output-limits";
import { describeReadResult } from "../../engine/lens/read-result";

/**
 * An execution as the answer to `tools/call`. The result of an MCP tool is passed on unchanged; other tools answer with text,
 * and `structuredContent` where it has promised some. Failures are results with `isError`, so that a model reads them.
 * @param calledAs the name that the caller used
 */
export function toCallResult(
  envelope: ExecutionEnvelope,
  definition: ToolDefinition | undefined,
  calledAs: string,
): ToolCallResult {
  const fromServer = definition?.implementation.type === "mcp";
  if (envelope.success) {
    const { result } = envelope.projected ?? envelope;
    return fromServer ? wholeAnswer(result) : ownAnswer(result, definition);
  }
  if (fromServer && isAnswer(envelope.result)) {
    return envelope.result.isError === true ? envelope.result : withMembers(envelope.result, { isError: true });
  }
  const failure = inCallersNames(failureText(envelope), envelope.tool_name, calledAs);
  return { content: [{ type: "text", text: failure }], isError: true };
}

/** Tells the model how to read what a lens left out. */
export function withReadNote(result: ToolCallResult, envelope: ExecutionEnvelope): ToolCallResult {
  if (!envelope.success || envelope.projected === undefined) return result;
  const note = { type: "text", text: describeReadResult(envelope.execution_id) };
  return withMembers(result, { content: [...result.content, note] });
}

function isAnswer(result: unknown): result is ToolCallResult {
  return isPlainObject(result) && Array.isArray(result.content);
}

function wholeAnswer(result: unknown): ToolCallResult {
  return isAnswer(result) ? result : { content: [{ type: "text", text: formatText(result) }] };
}

function ownAnswer(result: unknown, definition: ToolDefinition | undefined): ToolCallResult {
  const answer: ToolCallResult = { content: [{ type: "text", text: formatText(result) }] };
  if (definition?.outputSchema !== undefined && isPlainObject(result)) answer.structuredContent = result;
  return answer;
}

function formatText(result: unknown): string {
  return typeof result === "string" ? result : (toJsonText(result) ?? "null");
}
