/** Waits are computed from rounded instants: what is shorter is noise, not a user. */
const MIN_WAIT_MS = 10;

/** The time that an ended call waited for a user: a part of its total, not of its duration. */
const WAITED = `"finishedAt" - "queuedAt" - "executionTimeMs" - coalesce("recordMs", 0)`;
export const WAIT_SQL = `CASE WHEN ${WAITED} >= ${MIN_WAIT_MS} THEN ${WAITED} END`;
