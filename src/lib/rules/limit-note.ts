import { LIMIT_MEASURES, type LimitMeasure } from "../contract/call-rule-words";
import { isPlainObject } from "../contract/json";
import type { RuleMatch } from "../contract/rule-match";

/** The note of an execution about one limit. Amounts are as the limit names them. */
export interface LimitNote {
  measure: LimitMeasure;
  used: number;
  most: number;
  /** `denied` or `asked`; null where there was room. */
  outcome: string | null;
  /** The outcome that a rule which only records would have had. */
  would: string | null;
  waitedMs: number | null;
  freeAt: number | null;
}

/** Reads `limit` of the values of a match; null for another form, of a later version say. */
export function readLimitNote(value: unknown): LimitNote | null {
  if (!isPlainObject(value)) return null;
  const { used, most, outcome, would, waited_ms: waitedMs, free_at: freeAt } = value;
  const measure = LIMIT_MEASURES.find((each) => each === value.measure);
  if (measure === undefined || typeof used !== "number" || typeof most !== "number") return null;
  return {
    measure,
    used,
    most,
    outcome: typeof outcome === "string" ? outcome : null,
    would: typeof would === "string" ? would : null,
    waitedMs: typeof waitedMs === "number" ? waitedMs : null,
    freeAt: typeof freeAt === "string" ? Date.parse(freeAt) : null,
  };
}

/** When there is room again under the limit that denied a call, in epoch milliseconds; null for a call that no limit denied. */
export function findRetryTime(matches: readonly Pick<RuleMatch, "values" | "recordOnly">[]): number | null {
  for (const { values, recordOnly } of matches) {
    const note = recordOnly ? null : readLimitNote(values.limit);
    if (note?.outcome === "denied" && note.freeAt !== null) return note.freeAt;
  }
  return null;
}
