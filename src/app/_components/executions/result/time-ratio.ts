/** Differences below this share, or this many milliseconds, are noise between two calls. */
const NOTICEABLE_SHARE = 0.2;
const NOTICEABLE_MS = 5;

export const SAME_DURATION = "about the same";

/** How two durations compare, from the first to the second: `1.4× slower`; null where there is nothing to compare. */
export function compareDurations(fromMs: number | null, toMs: number | null): string | null {
  if (fromMs === null || toMs === null || fromMs <= 0 || toMs <= 0) return null;
  const [least, most] = fromMs < toMs ? [fromMs, toMs] : [toMs, fromMs];
  if (most - least <= NOTICEABLE_MS || most / least - 1 <= NOTICEABLE_SHARE) return SAME_DURATION;
  return `${factor(most / least)}× ${toMs > fromMs ? "slower" : "faster"}`;
}

const factor = (value: number): string => (value < 10 ? value.toFixed(1) : String(Math.round(value)));
