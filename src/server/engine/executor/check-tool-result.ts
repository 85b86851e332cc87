import type { JsonSchema } from "../../../lib/contract/json";
import type { ToolDefinition } from "../../../lib/contract/tool-definition";
import { getMessage } from "../../../lib/get-message";
import type { ArgumentValidator, ToolContext, ValidationOutcome } from "../ports";
import { describeFaults, toFaults } from "../validation/argument-faults";
import { measureJson } from "../validation/validate-arguments";
import { isToolCallResult } from "./tool-call-result";

const MAX_BYTES = 16_777_216;
const MAX_DEPTH = 200;

/**
 * Compares what an MCP tool sent as `structuredContent` with the schema that it promised. A promise that was not kept is a
 * warning in the execution's log, never a failure: the tool did its work, and the result is there to be seen.
 */
export async function checkToolResult(
  validator: ArgumentValidator,
  definition: ToolDefinition,
  result: unknown,
  context: Pick<ToolContext, "logger">,
  form: "sent" | "redacted" = "sent",
): Promise<void> {
  const { outputSchema, implementation } = definition;
  if (outputSchema === undefined || implementation.type !== "mcp") return;
  if (!isToolCallResult(result) || result.isError === true) return;
  const { structuredContent } = result;
  if (structuredContent === undefined) {
    context.logger.warn("The tool has an output schema but sent no structured content");
    return;
  }
  const size = measureJson(structuredContent, { maxBytes: MAX_BYTES, maxDepth: MAX_DEPTH });
  if (size.bytes > MAX_BYTES || size.depth > MAX_DEPTH) {
    context.logger.warn("The structured content is too large to be checked against the tool's output schema");
    return;
  }
  try {
    const outcome = await validator.validate(outputSchema, structuredContent, size);
    if (!outcome.valid) context.logger.warn(complaint(outcome, outputSchema, form));
  } catch (error) {
    const reason = getMessage(error);
    context.logger.warn(`The structured content couldn't be checked: ${reason}`);
  }
}

function complaint(
  outcome: Exclude<ValidationOutcome, { valid: true }>,
  schema: JsonSchema,
  form: "sent" | "redacted",
): string {
  const content = form === "sent" ? "The structured content" : "The structured content, as rules redacted it,";
  if (!("errors" in outcome)) return `${content} couldn't be checked: it ${outcome.reason}`;
  const faults = describeFaults(toFaults(outcome.errors, schema)).replace(/^Invalid parameters: /, "");
  return `${content} does not match the tool's output schema: ${faults}`;
}
