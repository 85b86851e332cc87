/** Where the changes of a server are reviewed. */
export function toReviewPath(server: string): string {
  return `/servers/${encodeURIComponent(server)}/changes`;
}
