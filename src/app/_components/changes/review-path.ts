/** The address of the review of a server's changes. */
export function toReviewPath(server: string): string {
  return `/servers/${encodeURIComponent(server)}/changes`;
}
