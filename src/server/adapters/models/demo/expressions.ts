import type { ChatTool } from "../../../../lib/contract";
import { describeField } from "../../../../lib/json-schema/describe-field";

const PARAMETER_NAMES = new Set(["expression", "expr", "formula", "equation", "calculation", "math"]);
const QUESTION =
  /^(?:what(?:'s| is| are)|how much (?:is|are)|calculate|compute|evaluate|solve|work out|convert|the result of)\s+/i;
const NUMBER = String.raw`[\d.]+`;
const ARITHMETIC = new RegExp(String.raw`(?:${NUMBER}|\))\s*(?:[-+*/^%×÷·]|\*\*)\s*(?:-?${NUMBER}|\(|[a-z]+\()`, "i");
const FUNCTION_CALL =
  /\b(?:sqrt|cbrt|sin|cos|tan|log|log10|log2|exp|abs|round|floor|ceil|pow|min|max|mean|det|gcd|lcm)\s*\(/i;
const UNITS = new RegExp(String.raw`^${NUMBER}\s*[a-z]+\s+(?:to|in)\s+[a-z]+$`, "i");

const SPOKEN: [RegExp, string][] = [
  [/([\d.]+)\s*%\s*of\s+([\d.]+)/gi, "$1 / 100 * $2"],
  [/(?<=[\d)])\s*(?:x|×|·|times|multiplied by)\s*(?=[-\d(])/gi, " * "],
  [/(?<=[\d)])\s*(?:÷|divided by|over)\s*(?=[-\d(])/gi, " / "],
  [/(?<=[\d)])\s*plus\s*(?=[-\d(])/gi, " + "],
  [/(?<=[\d)])\s*minus\s*(?=[-\d(])/gi, " - "],
  [/(?<=[\d)])\s*(?:to the power of|\*\*)\s*(?=[-\d(])/gi, "^"],
  [/\b(?:the )?square root of\s+([\d.]+)/gi, "sqrt($1)"],
];

/** What there is to calculate in a request; null where there is nothing. */
export function expressionIn(clause: string): string | null {
  const asked = clause.trim().replace(QUESTION, "");
  let text = asked.replace(/[?=!.\s]+$/, "");
  for (const [spoken, written] of SPOKEN) text = text.replace(spoken, written);
  if (UNITS.test(text)) return text;
  if (!ARITHMETIC.test(text) && !FUNCTION_CALL.test(text)) return null;
  if (asked !== clause.trim() || /^[-\d.(]/.test(text)) return text;
  // Words before it are no part of it, unless they are a function's name.
  const start = text.search(/(?:\b[a-z]\w*\s*\(|[-(]?\d)/i);
  return start < 0 ? text : text.slice(start);
}

/** The parameter that takes an expression; null where the tool has none. */
export function expressionParameter(tool: ChatTool): string | null {
  const { properties } = describeField(tool.parameters, tool.parameters);
  return properties.find(({ name }) => PARAMETER_NAMES.has(name.toLowerCase()))?.name ?? null;
}
