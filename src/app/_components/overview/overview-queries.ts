import type { ExecutionFilter } from "@/lib/contract/execution";

/** Shared by the page that starts the reads and the view that shows them: other inputs would be read twice. */
export const OVERVIEW_DAYS = 7;

interface ListInput {
  filter: ExecutionFilter;
  limit: number;
}
export const RECENT_INPUT: ListInput = { filter: {}, limit: 8 };
export const RUNNING_INPUT: ListInput = { filter: { status: ["running"] }, limit: 8 };
export const GATEWAY_INPUT: ListInput = { filter: { source: ["gateway"] }, limit: 1 };
export const RUNS_INPUT = { filter: {}, limit: 1 };
export const PENDING_INPUT: { status: "open"; limit: number } = { status: "open", limit: 5 };
