import type { CallRule } from "../contract/call-rule";

const DAY_MS = 86_400_000;
const REVIEW_DAYS = 7;

type ReviewedRule = Pick<CallRule, "state" | "updatedAt" | "reviewedAt">;

/** Whole days since a rule began to record what it does now. */
export const countRecordingDays = ({ updatedAt }: Pick<ReviewedRule, "updatedAt">, now: number): number =>
  Math.floor((now - updatedAt) / DAY_MS);

/** Whether a rule has recorded for a week since it was changed, or since an editor looked at its results. */
export function isReviewDue({ state, updatedAt, reviewedAt }: ReviewedRule, now: number): boolean {
  return state === "record" && now - Math.max(updatedAt, reviewedAt ?? 0) >= REVIEW_DAYS * DAY_MS;
}
