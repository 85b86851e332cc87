import { defineFilters, instant, manyNames, oneOf, searchText } from "@/app/_kit/list/filters";
import { timeRange } from "@/app/_kit/list/time-range";
import type { BadgeTone } from "@/app/_ui/badge";
import { AUDIT_OUTCOMES, type AuditDoor, type AuditOutcome } from "@/lib/contract/audit";

export const OUTCOME_LABELS: Record<AuditOutcome, string> = { done: "Done", denied: "Denied", failed: "Failed" };
export const OUTCOME_TONES: Record<AuditOutcome, BadgeTone> = { done: "neutral", denied: "bad", failed: "warn" };

export const DOOR_LABELS: Record<AuditDoor, string> = {
  console: "Console",
  api: "API",
  rest: "REST API",
  gateway: "Gateway",
  tool: "Tool",
  socket: "Transcript socket",
  system: "Toolroom",
};

const NAMES = { most: 100, maxChars: 100 } as const;

/** The filters of the audit log in the address; server and browser read the same. */
export const AUDIT_FILTERS = defineFilters(
  {
    q: searchText({ label: "Search the audit log", placeholder: "Search targets, errors, states" }),
    actor: manyNames({ label: "Actor", ...NAMES }),
    action: manyNames({ label: "Action", ...NAMES }),
    target: manyNames({ label: "Target", ...NAMES }),
    outcome: oneOf(AUDIT_OUTCOMES, { label: "Outcome", words: OUTCOME_LABELS }),
    range: timeRange(["24h", "7d", "30d", "custom"], true),
    since: instant(),
    until: instant(),
  },
  "Filter the audit log",
);

export const AUDIT_PAGE_ROWS = 50;
