import { z } from "zod";
import { type ExecutionDetail, executionDetailSchema } from "../../../lib/contract/execution";

/** An execution as programs get it: with its result as JSON in place of text. */
export const executionResponseSchema = executionDetailSchema.omit({ resultText: true }).extend({
  result: z.unknown().describe("Null without a result, and for one that was cut when it was stored"),
  resultStart: z.string().nullable().describe("The beginning of a result that was cut when it was stored"),
});

/**
 * An execution with its result as JSON, byte for byte as it is kept: parsed it would lose digits of long numbers.
 * A result that was cut when it was stored is no JSON: `result` is null and `resultStart` has its beginning.
 */
export function toExecutionText({ resultText, ...execution }: ExecutionDetail): string {
  const isCut = execution.resultTruncated && resultText !== null;
  const rest = JSON.stringify({ ...execution, resultStart: isCut ? resultText : null });
  const result = isCut ? "null" : (resultText ?? "null");
  return `${rest.slice(0, -1)},"result":${result}}`;
}

export function toExecutionResponse(execution: ExecutionDetail): Response {
  return new Response(toExecutionText(execution), {
    headers: { "content-type": "application/json", "cache-control": "no-store" },
  });
}
