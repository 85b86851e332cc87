import type { ExecutionDetail } from "../../../lib/contract/execution";
import type { RuleMatch } from "../../../lib/contract/rule-match";
import { isAppliedToResult } from "../../../lib/rules/received-execution";
import { toMarker } from "../../engine/rules/result-guard";
import type { ResultRedactor, ResultSearch } from "../../engine/rules/rule-ports";
import type { StoredExecution } from "./execution-store";

type Stored = Pick<
  StoredExecution,
  "resultText" | "resultTruncated" | "ruleMatches" | "implementationType" | "definition" | "error"
>;

/** The result that the caller of a stored call received; null where rules changed nothing. */
export async function findReceived(
  stored: Stored,
  redactor: ResultRedactor | undefined,
): Promise<ExecutionDetail["received"]> {
  const applied = stored.ruleMatches.filter(isAppliedToResult);
  if (applied.length === 0) return null;
  let text = stored.resultText;
  for (const match of applied) {
    // The caller did not receive a result that was blocked or could not be searched; for a result that was cut it is not known.
    const isWithheld = match.effect === "block" || Object.hasOwn(match.values, "withheld") || stored.resultTruncated;
    text =
      text === null || isWithheld || redactor === undefined ? null : await redactAgain(text, match, stored, redactor);
  }
  return { resultText: text };
}

/** Redacts by the match's own record of the rule, which may have changed since. */
async function redactAgain(
  text: string,
  { name, values }: RuleMatch,
  { implementationType, definition }: Stored,
  redactor: ResultRedactor,
): Promise<string | null> {
  const input = {
    text,
    marker: toMarker(name),
    fromServer: implementationType === "mcp",
    keepTypes: definition?.outputSchema !== undefined,
  };
  const redaction = await redactor.redact(readSearch(values), input);
  return "failed" in redaction ? null : redaction.text;
}

function readSearch(values: RuleMatch["values"]): ResultSearch {
  const list = (name: string): string[] => {
    const stored = Object.hasOwn(values, name) ? values[name] : null;
    return Array.isArray(stored) ? stored.filter((each) => typeof each === "string") : [];
  };
  return {
    paths: list("paths"),
    presets: list("presets") as ResultSearch["presets"][number][],
    patterns: list("patterns"),
  };
}
