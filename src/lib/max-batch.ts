/** Calls of the console in one request: each may read a whole list. */
export const MAX_BATCH = 50;
