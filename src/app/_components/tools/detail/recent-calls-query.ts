/** Rows under the result; the page's prefetch and the list must ask alike. */
export const RECENT_CALLS = 6;
