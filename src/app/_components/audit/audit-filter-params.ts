import { type inferParserType, parseAsArrayOf, parseAsInteger, parseAsString, parseAsStringLiteral } from "nuqs/server";
import { AUDIT_OUTCOMES } from "@/lib/contract/audit";
import type { AuditFilter } from "@/lib/contract/audit-filter";

export const AUDIT_RANGES = ["24h", "7d", "30d", "custom"] as const;
export type AuditRange = (typeof AUDIT_RANGES)[number];

const DAY_MS = 24 * 60 * 60_000;
const RANGE_MS: Record<Exclude<AuditRange, "custom">, number> = { "24h": DAY_MS, "7d": 7 * DAY_MS, "30d": 30 * DAY_MS };

/** The filters of the audit log in the address; server and browser read the same. */
export const AUDIT_FILTER_PARAMS = {
  actor: parseAsArrayOf(parseAsString).withDefault([]),
  action: parseAsArrayOf(parseAsString).withDefault([]),
  target: parseAsArrayOf(parseAsString).withDefault([]),
  outcome: parseAsStringLiteral(AUDIT_OUTCOMES),
  /** Chosen where `since` and `until` come from. */
  range: parseAsStringLiteral(AUDIT_RANGES),
  /** Epoch milliseconds. */
  since: parseAsInteger,
  until: parseAsInteger,
  q: parseAsString.withDefault(""),
};

export type AuditFilterParams = inferParserType<typeof AUDIT_FILTER_PARAMS>;

/** Rows of a page of the list. */
export const AUDIT_PAGE_ROWS = 50;

/** What the server is asked; longer texts than it takes are cut, so that a long address is no error. */
export function toAuditFilter({ actor, action, target, outcome, since, until, q }: AuditFilterParams): AuditFilter {
  const cut = (chosen: readonly string[]): string[] => chosen.slice(0, 100).map((each) => each.slice(0, 100));
  const text = q.trim().slice(0, 200);
  return {
    ...(actor.length > 0 ? { actor: cut(actor) } : {}),
    ...(action.length > 0 ? { action: cut(action) } : {}),
    ...(target.length > 0 ? { target: cut(target) } : {}),
    ...(outcome === null ? {} : { outcome }),
    ...(since === null ? {} : { since }),
    ...(until === null ? {} : { until }),
    ...(text === "" ? {} : { q: text }),
  };
}

/** A chosen range begins at a fixed time, so that the query does not change with the clock. */
export function startRange(
  range: AuditRange | null,
  now: number,
): Pick<AuditFilterParams, "range" | "since" | "until"> {
  const since = range === null || range === "custom" ? null : now - RANGE_MS[range];
  return { range, since, until: null };
}

export function exportAddress(filter: AuditFilter, format: "csv" | "jsonl"): string {
  return `/api/audit/export?${new URLSearchParams({ format, filter: JSON.stringify(filter) })}`;
}
