/** The nearest-rank percentile of values in ascending order, 0 < share ≤ 1; null for none. */
export function percentile(ascending: readonly number[], share: number): number | null {
  return ascending[Math.max(0, Math.ceil(ascending.length * share) - 1)] ?? null;
}
