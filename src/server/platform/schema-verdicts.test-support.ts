import type { JsonSchema, JsonValue } from "../../lib/contract/json";
import { getToolVerdict } from "../../lib/schema/compare/tool-verdict";
import type { CheckValue } from "../../lib/schema/witness/find-witnesses";
import { createValueCheck } from "./workers/schema-compiler";

/** The totals of verdicts on random pairs of schemas. */
export interface VerdictFigures {
  /** Verdicts: two for each pair whose schemas have a meaning. */
  verdicts: number;
  compatible: number;
  byConvention: number;
  breaking: number;
  /** Breaking verdicts that have a value that was valid and is refused, or is possible and was not. */
  witnessed: number;
  /** Breaking verdicts whose only witness is a value with a part that is no longer described. */
  lost: number;
  /** Breaking verdicts without a witness of which a sampled value proves that they are right. */
  missed: number;
  /** Breaking verdicts without a witness that no sampled value proves: too careful, or not found. */
  unrefuted: number;
  /** Witnesses that are none. */
  wrongWitnesses: number;
  /** Compatible verdicts that a sampled value refutes. */
  refuted: { before: JsonSchema; after: JsonSchema; direction: string; value: JsonValue; outcome: string }[];
}

const SAMPLED = 60;

interface Generator {
  pair(): [JsonSchema, JsonSchema];
  values(count: number, ...schemas: JsonSchema[]): JsonValue[];
}

/** Checks pairs in both directions, and looks for a value that refutes each verdict. */
export function measureVerdicts(random: Generator, pairs: number, figures = emptyFigures()): VerdictFigures {
  for (let at = 0; at < pairs; at += 1) {
    const [before, after] = random.pair();
    const values = random.values(SAMPLED, before, after);
    const check = createValueCheck();
    if (typeof before === "boolean" || typeof after === "boolean") continue;
    // A schema that refers to itself for the same value has no meaning.
    if (check(before, {}) === null || check(after, {}) === null) continue;
    checkPair("inputSchema", before, after, values, check, figures);
    checkPair("outputSchema", before, after, values, check, figures);
  }
  return figures;
}

export function emptyFigures(): VerdictFigures {
  return {
    verdicts: 0,
    compatible: 0,
    byConvention: 0,
    breaking: 0,
    witnessed: 0,
    lost: 0,
    missed: 0,
    unrefuted: 0,
    wrongWitnesses: 0,
    refuted: [],
  };
}

function checkPair(
  key: "inputSchema" | "outputSchema",
  before: JsonSchema,
  after: JsonSchema,
  values: readonly JsonValue[],
  check: CheckValue,
  figures: VerdictFigures,
): void {
  const [inner, outer] = key === "inputSchema" ? [before, after] : [after, before];
  const breaks = (value: JsonValue): boolean => {
    const refusals = check(outer, value);
    return check(inner, value)?.length === 0 && refusals !== null && refusals.length > 0;
  };
  const { outcome, findings } = getToolVerdict("tool", { [key]: before }, { [key]: after }, { rules: {}, check });
  figures.verdicts += 1;
  if (outcome === "breaking") {
    figures.breaking += 1;
    const witnesses = findings.flatMap(({ witness }) => witness ?? []);
    const proofs = witnesses.filter(({ effect }) => effect !== "lost");
    figures.wrongWitnesses += proofs.filter(({ value }) => !breaks(value)).length;
    if (proofs.length > 0) figures.witnessed += 1;
    else if (witnesses.length > 0) figures.lost += 1;
    else if (values.some(breaks)) figures.missed += 1;
    else figures.unrefuted += 1;
    return;
  }
  if (outcome === "by-convention") figures.byConvention += 1;
  else figures.compatible += 1;
  const value = outcome === "by-convention" ? undefined : values.find(breaks);
  if (value !== undefined) figures.refuted.push({ before, after, direction: key, value, outcome });
}
