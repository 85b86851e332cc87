import type { ExecutionFilter } from "@/lib/contract/execution";
import type { SpendInput } from "@/lib/contract/spend";

/** Shared by the page that starts the reads and the view that shows them: other inputs would be read twice. */
export const OVERVIEW_DAYS = 7;

export const NEWEST_INPUT: { filter: ExecutionFilter; limit: number } = { filter: {}, limit: 1 };
export const PENDING_INPUT: { status: "open"; limit: number } = { status: "open", limit: 5 };
/** Running calls whose server requests input. */
export const INPUT_INPUT: { filter: ExecutionFilter } = { filter: { status: ["input"] } };

/** Covers the last 30 days. */
export const SPEND_INPUT: Pick<SpendInput, "by"> = { by: "day" };
