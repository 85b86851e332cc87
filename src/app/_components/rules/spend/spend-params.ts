import { parseAsStringLiteral } from "nuqs/server";
import type { SpendInput } from "@/lib/contract/spend";
import { SPEND_DIMENSIONS, toDate } from "@/lib/contract/spend-days";

const DAY_MS = 86_400_000;

export const SPEND_PATH = "/approvals/rules/spend";

/** The number of days up to today. */
export const SPEND_RANGES = ["7", "30", "90", "365"] as const;

export const SPEND_PARAMS = {
  by: parseAsStringLiteral(SPEND_DIMENSIONS).withDefault("tool"),
  days: parseAsStringLiteral(SPEND_RANGES).withDefault("30"),
};

/** @param askedAt one moment for the server and the browser, so that both read the same days */
export function toSpendInput(
  { by, days }: { by: SpendInput["by"]; days: (typeof SPEND_RANGES)[number] },
  askedAt: number,
): SpendInput {
  const today = Math.floor(askedAt / DAY_MS);
  return { from: toDate(today - Number(days) + 1), to: toDate(today), by };
}
