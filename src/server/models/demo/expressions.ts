import type { ChatTool } from "../../../lib/contract/chat";
import { describeField } from "../../../lib/schema/describe/describe-field";

const PARAMETER_NAMES = new Set(["expression", "expr", "formula", "equation", "calculation", "math"]);
const QUESTION = /^(?:what(?:'s| is)|how much is|calculate|compute|evaluate|solve)\s+/i;
const ARITHMETIC = /^(?:[\d\s.,+\-*/^%()×÷]|[a-z][a-z0-9]*(?=\s*\())+$/i;
const OPERATION = /[\d)]\s*[-+*/^%×÷]\s*[-\d(a-z]|[a-z]\s*\(/i;
const MAX_CHARS = 1_000;

/** The arithmetic expression in a request; null where there is none. */
export function findExpression(request: string): string | null {
  const text = request.replace(QUESTION, "").replace(/[?=!.\s]+$/, "");
  if (text.length > MAX_CHARS || !ARITHMETIC.test(text) || !OPERATION.test(text)) return null;
  return text.replaceAll("×", "*").replaceAll("÷", "/");
}

/** The parameter that takes an expression; null where the tool has none. */
export function findExpressionParameter({ parameters }: ChatTool): string | null {
  const { properties } = describeField(parameters, parameters);
  return properties.find(({ name }) => PARAMETER_NAMES.has(name.toLowerCase()))?.name ?? null;
}
