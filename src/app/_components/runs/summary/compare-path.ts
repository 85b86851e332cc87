/** Two runs side by side. */
export function toCompareRunsPath(leftId: string, rightId: string): string {
  return `/runs/compare?left=${encodeURIComponent(leftId)}&right=${encodeURIComponent(rightId)}`;
}
