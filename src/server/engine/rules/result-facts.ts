import { parseExactParts } from "../../../lib/json/exact-text";
import type { CallOutcome } from "../executor/call-outcome";
import { isToolCallResult, textOfToolResult } from "../executor/tool-call-result";
import { type ResultFacts, TOO_LARGE } from "./rule-ports";

/** A longer text is not parsed for a condition: that would hold the process. */
const MAX_PARSED_CHARS = 500_000;

/** The facts that conditions read of an outcome; each is made on first use. */
export function toResultFacts(outcome: CallOutcome): ResultFacts {
  const { result, resultText } = outcome;
  const isError = !outcome.success;
  if (resultText === undefined) return { isError, text: outcome.success ? "" : outcome.error, structured: null };
  return readResultFacts({ result, resultText, isError });
}

/** @param result the result, parsed from its text */
export function readResultFacts({
  result,
  resultText,
  isError,
}: {
  result: unknown;
  resultText: string;
  isError: boolean;
}): ResultFacts {
  let text: string | undefined;
  let structured: { value: unknown } | undefined;
  return {
    isError,
    get text() {
      text ??= toText(result, resultText);
      return text;
    },
    get structured() {
      structured ??= { value: readStructured(result, resultText, this.text) };
      return structured.value;
    },
  };
}

function toText(result: unknown, resultText: string): string {
  if (isToolCallResult(result)) return textOfToolResult(result);
  return typeof result === "string" ? result : resultText;
}

/** The data of a result, with all digits of its numbers. */
function readStructured(result: unknown, resultText: string, text: string): unknown {
  if (resultText.length > MAX_PARSED_CHARS) return TOO_LARGE;
  if (isToolCallResult(result)) {
    if (result.structuredContent === undefined) return parseData(text);
    const whole = parseData(resultText) as { structuredContent?: unknown } | null;
    return whole?.structuredContent ?? null;
  }
  return typeof result === "string" ? parseData(result) : parseData(resultText);
}

/** Null for a text that is not JSON. */
function parseData(text: string): unknown {
  if (!/^\s*[{["\d-]/.test(text.slice(0, 100))) return null;
  try {
    return parseExactParts(text);
  } catch {
    return null;
  }
}
