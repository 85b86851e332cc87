/** The number of rows under the result. */
const RECENT_CALLS = 3;

/** The newest calls of a tool; the page's prefetch and the list must ask alike. */
export const toRecentCalls = (tool: string) => ({ filter: { tool: [tool] }, limit: RECENT_CALLS });
