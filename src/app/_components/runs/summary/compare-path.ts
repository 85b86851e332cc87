/** Two runs side by side; without the second, the page asks for it. */
export function toCompareRunsPath(leftId: string, rightId?: string): string {
  const right = rightId === undefined ? "" : `&right=${encodeURIComponent(rightId)}`;
  return `/runs/compare?left=${encodeURIComponent(leftId)}${right}`;
}
