/** For `infiniteQueryOptions`: how the next page is found, and a first read even when the server rendered the rows. */
export const BY_CURSOR = {
  getNextPageParam: <Cursor>(page: { nextCursor: Cursor }) => page.nextCursor,
  // Rows that came with the HTML may be older than the first event this tab receives.
  refetchOnMount: "always",
} as const;
