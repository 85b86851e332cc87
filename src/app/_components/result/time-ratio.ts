/** Differences below this share are noise between two calls. */
const NOTICEABLE = 0.05;

/** How two durations compare, from the first to the second: `1.4× slower`; null where there is nothing to compare. */
export function compareDurations(fromMs: number | null, toMs: number | null): string | null {
  if (fromMs === null || toMs === null || fromMs <= 0 || toMs <= 0) return null;
  const slower = toMs / fromMs;
  if (Math.abs(slower - 1) < NOTICEABLE) return "as fast";
  return slower > 1 ? `${factor(slower)}× slower` : `${factor(1 / slower)}× faster`;
}

function factor(value: number): string {
  return value < 10 ? value.toFixed(value < 1.1 ? 2 : 1) : String(Math.round(value));
}
