/**
 * Whether JSON is nested more than `levels` deep, which would overflow the stack of recursive code. Descends no further
 * than that itself.
 */
export function isNestedDeeperThan(value: unknown, levels: number): boolean {
  if (typeof value !== "object" || value === null) return false;
  if (levels === 0) return true;
  return Object.values(value).some((part) => isNestedDeeperThan(part, levels - 1));
}
