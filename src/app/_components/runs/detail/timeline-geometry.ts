/** A place on the axis as SVG takes it, so that bars need no style: `12.3%`. */
export function percent(ms: number, totalMs: number): string {
  const part = totalMs <= 0 ? 0 : Math.min(100, Math.max(0, (100 * ms) / totalMs));
  return `${Number(part.toFixed(3))}%`;
}

const MOST_TICKS = 5;

/** Round times from 0 on, none at the very end, where a label has no room. */
export function buildAxisTicks(totalMs: number): number[] {
  if (!(totalMs > 0) || !Number.isFinite(totalMs)) return [0];
  const rough = totalMs / MOST_TICKS;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((factor) => factor * power).find((each) => each >= rough) ?? rough;
  const ticks: number[] = [];
  for (let at = 0; at < totalMs * 0.95; at += step) ticks.push(at);
  return ticks;
}
