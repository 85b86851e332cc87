/** The drawing's own units; the SVG is stretched to its box. */
export const CHART_WIDTH = 600;
export const CHART_HEIGHT = 100;

const GAP = 0.28;

export interface Column {
  x: number;
  width: number;
}

/** Where the columns stand: side by side over the whole width, a gap between. */
export function columns(count: number): Column[] {
  const step = CHART_WIDTH / Math.max(count, 1);
  return Array.from({ length: count }, (_, at) => ({ x: at * step + (step * GAP) / 2, width: step * (1 - GAP) }));
}

/** The next round figure (1, 2 or 5 with zeros) that holds every value; 1 where there is nothing to hold. */
export function roundUpMax(values: readonly number[]): number {
  const max = Math.max(0, ...values);
  if (max <= 0) return 1;
  const power = 10 ** Math.floor(Math.log10(max));
  const steps = [1, 2, 5, 10].map((step) => step * power);
  return steps.find((step) => step >= max) ?? max;
}

/** The axis of a chart up to `max`: top, middle, zero. */
export function axisValues(max: number): number[] {
  return [max, max / 2, 0];
}

/** Distance from the top for a value; a value above nothing is never drawn as nothing. */
export function toY(value: number, max: number): number {
  if (value <= 0) return CHART_HEIGHT;
  return CHART_HEIGHT - Math.max(1, (Math.min(value, max) / max) * CHART_HEIGHT);
}
