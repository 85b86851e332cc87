import type { RuleEffect } from "../../../lib/contract/call-rule";
import { isResultEffect } from "../../../lib/contract/call-rule-words";
import { hasMask } from "../../../lib/masked-value";
import { compileRules, type RuledCall } from "../../engine/rules/decide-call";
import { ResultCandidates, type ResultHit } from "../../engine/rules/decide-result";
import { readResultFacts } from "../../engine/rules/result-facts";
import { toSearch } from "../../engine/rules/result-guard";
import {
  type ConditionLanguage,
  NOT_RECORDED,
  type Redaction,
  type ResultFacts,
  type ResultRedactor,
} from "../../engine/rules/rule-ports";
import type { RecordedCall, StoredRule } from "./rule-store";

export type ResultOutcome = "match" | "miss" | "unknown";

interface ResultPreviewPorts {
  language: ConditionLanguage;
  redactor: ResultRedactor;
}

export const isAboutResults = ({ kind }: RuleEffect): boolean => isResultEffect(kind);

/** What one rule would have done to the stored results of calls. A result that is masked, cut or absent cannot tell. */
export function createResultPreview(rule: StoredRule, { language, redactor }: ResultPreviewPorts) {
  const rules = compileRules([{ ...rule, state: "on" }], { language });
  return async (call: RecordedCall, ruled: RuledCall, isHidden: boolean): Promise<ResultOutcome> => {
    const facts = isHidden ? NOT_RECORDED : readFacts(call);
    if (facts === null) return "miss";
    const candidates = new ResultCandidates(rules, [{ ...ruled, readResult: () => facts }]);
    if (candidates.isEmpty) return "miss";
    const { hits, unknown } = candidates.decide();
    const [hit] = hits;
    if (hit === undefined) return unknown.length > 0 ? "unknown" : "miss";
    const redaction = await search(hit, call, isHidden, redactor);
    if (redaction === "unknown" || redaction === "match") return redaction;
    if ("failed" in redaction || redaction.count > 0) return "match";
    return hasMask(call.resultText ?? call.error ?? "") ? "unknown" : "miss";
  };
}

/** Null for a call that returned nothing. */
function readFacts({ status, resultText, error }: RecordedCall): ResultFacts | typeof NOT_RECORDED | null {
  if (status !== "succeeded" && status !== "failed") return null;
  const isError = status === "failed";
  if (resultText !== null) return readResultFacts({ result: parse(resultText), resultText, isError });
  return error === null ? NOT_RECORDED : { isError, text: error, structured: null };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

function search(
  { effect }: ResultHit,
  { resultText, error, implementationType }: RecordedCall,
  isHidden: boolean,
  redactor: ResultRedactor,
): Redaction | "match" | "unknown" | Promise<Redaction> {
  const wanted = toSearch(effect);
  if (effect.kind === "block" && wanted.presets.length + wanted.patterns.length === 0) return "match";
  if (isHidden) return "unknown";
  if (resultText === null) return error === null ? "unknown" : redactor.redactText(wanted, error, "");
  const fromServer = implementationType === "mcp" && resultText.startsWith("{");
  return redactor.redact(wanted, { text: resultText, marker: "", fromServer, keepTypes: false });
}
