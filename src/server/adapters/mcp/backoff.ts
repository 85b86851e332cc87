export interface BackoffLimits {
  firstMs: number;
  mostMs: number;
  factor: number;
}

/**
 * How long to wait after so many failures in a row (from 1). A quarter up or down, so that servers that went away together
 * are not all asked in the same moment.
 * @param random from 0 to 1
 */
export function backoffMs(failures: number, limits: BackoffLimits, random: () => number = Math.random): number {
  const grown = limits.firstMs * limits.factor ** Math.min(Math.max(failures, 1) - 1, 60);
  return Math.round(Math.min(grown, limits.mostMs) * (0.75 + random() / 2));
}
