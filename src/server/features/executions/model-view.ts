import type { ExecutionDetail } from "../../../lib/contract/execution";
import { failureText, inCallersNames, viewOfText } from "../../engine/executor/output-limits";
import { isToolCallResult, textOfToolResult } from "../../engine/executor/tool-call-result";
import { textOfProjection } from "../../engine/lens/apply-lens";
import type { Lenses } from "../../engine/lens/lens-calls";
import type { ExecutionLimits } from "../../engine/ports";
import { requiredParameters } from "../../engine/validation/argument-faults";
import type { StoredExecution } from "./execution-store";

/** Calls that no lens was applied to, although their tool may have one: what a model would get is worth showing. */
const UNPROJECTED_SOURCES: ReadonlySet<string> = new Set(["console", "replay", "api"]);

/**
 * The text that a model got through a recorded lens, or would get through the tool's lens now; null without one, where the
 * lens fails, and where the stored result is not whole.
 */
export async function projectedView(
  stored: StoredExecution,
  limits: ExecutionLimits,
  lenses: Lenses | undefined,
): Promise<ExecutionDetail["modelView"]> {
  const { lens: recorded, toolName, resultText, error, resultTruncated } = stored;
  const lens = recorded ?? (UNPROJECTED_SOURCES.has(stored.source) ? (lenses?.find(toolName) ?? null) : null);
  if (lens === null || lenses === undefined || recorded?.fault != null) return null;
  if (resultText === null || error !== null || resultTruncated) return null;
  const { expression } = lens;
  const result: unknown = JSON.parse(resultText);
  const fromServer = stored.implementationType === "mcp";
  const projection = await lenses.projector.project(expression, { result, resultText, fromServer }, { preview: true });
  if (!("text" in projection)) return null;
  const { value, text } = projection;
  const first = typeof value === "string" ? value : text;
  // An MCP client gets what is no text as blocks of its own.
  const whole = stored.source === "gateway" ? first : textOfProjection(result, projection);
  return { ...viewOfText(whole, toLimit(stored, limits)), lens: expression };
}

/** MCP clients get results whole, and decide themselves what their model reads. */
function toLimit({ source, definition }: StoredExecution, limits: ExecutionLimits): number | null {
  return source === "gateway" ? null : (definition?.max_model_chars ?? limits.maxModelChars);
}

/** The text that a model gets for a recorded call; null while it runs. */
export function toModelView(stored: StoredExecution, limits: ExecutionLimits): ExecutionDetail["modelView"] {
  const { definition, error, resultText, toolName, calledAs = toolName } = stored;
  const maxChars = toLimit(stored, limits);
  if (error !== null) {
    const listsRequired = stored.errorKind === "invalid_arguments" && definition !== null;
    const required = listsRequired ? requiredParameters(definition.parameters) : [];
    const text = failureText({ error, required_parameters: required });
    return viewOfText(inCallersNames(text, toolName, calledAs), maxChars);
  }
  if (resultText === null) return null;
  const view = viewOfText(textForModel(stored, resultText), maxChars);
  return stored.resultTruncated ? { ...view, totalChars: Math.max(view.totalChars, stored.resultChars ?? 0) } : view;
}

function textForModel({ implementationType, resultTruncated }: StoredExecution, resultText: string): string {
  if (implementationType !== "mcp") return resultTruncated ? resultText : plainText(resultText);
  try {
    const result: unknown = JSON.parse(resultText);
    return isToolCallResult(result) ? textOfToolResult(result) : resultText;
  } catch {
    // Truncated JSON: the result exceeded the limit even without its media.
    return resultText;
  }
}

/** A string result goes to the model as it is, without JSON's quotes. */
function plainText(resultText: string): string {
  if (!resultText.startsWith('"')) return resultText;
  const value: unknown = JSON.parse(resultText);
  return typeof value === "string" ? value : resultText;
}
