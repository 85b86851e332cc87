import { toLocalIso } from "@/lib/format";

/** The drawing's own units; the SVG is stretched to its box. */
export const CHART_WIDTH = 600;
export const CHART_HEIGHT = 100;

const GAP = 0.28;

interface Column {
  x: number;
  width: number;
}

/** The positions of the columns: side by side over the whole width, with a gap. */
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
export const axisValues = (max: number): number[] => [max, max / 2, 0];

/** Distance from the top for a value; a value above nothing is never drawn as nothing. */
export function toY(value: number, max: number): number {
  if (value <= 0) return CHART_HEIGHT;
  return CHART_HEIGHT - Math.max(1, (Math.min(value, max) / max) * CHART_HEIGHT);
}

const DAY_MS = 86_400_000;
/** A day on which clocks are set forward. */
const SHORTEST_DAY_MS = DAY_MS - 2 * 3_600_000;

export interface ChartStep {
  /** Its first instant, epoch milliseconds. */
  at: number;
  /** Exclusive end. */
  end: number;
}

/** `2026-11-20`, `2026-11-20 – 2026-11-26`, `2026-11-20 14:00 – 15:00`: days of a zone, without its name. */
export function formatStep({ at, end }: ChartStep, zone: string): string {
  const day = toLocalIso(at, zone).slice(0, 10);
  const last = toLocalIso(end - 1, zone).slice(0, 10);
  if (end - at >= SHORTEST_DAY_MS) return day === last ? day : `${day} – ${last}`;
  const [from, to] = [toLocalIso(at, zone), toLocalIso(end, zone)].map((text) => text.slice(11, 16));
  return `${day} ${from} – ${day === last ? "" : `${last} `}${to}`;
}

/** Steps with a label at the axis at most; the width of a phone has room for half of them. */
const MAX_LABELS = 6;
/** A label that begins further right would be cut. */
const LAST_LABEL = 0.87;

interface StepLabel {
  step: number;
  text: string;
}

/** The steps that have a label below the axis, evenly spread. */
export function listStepLabels(steps: readonly ChartStep[], zone: string): StepLabel[] {
  const first = steps[0];
  const last = steps.at(-1);
  if (first === undefined || last === undefined) return [];
  const isDaily = first.end - first.at >= SHORTEST_DAY_MS;
  const isOneDay = toLocalIso(first.at, zone).slice(0, 10) === toLocalIso(last.end - 1, zone).slice(0, 10);
  const every = Math.ceil(steps.length / MAX_LABELS);
  return steps.flatMap(({ at }, step) => {
    if (step % every !== 0 || step / steps.length > LAST_LABEL) return [];
    const local = toLocalIso(at, zone);
    const day = local.slice(5, 10);
    const clock = local.slice(11, 16);
    return [{ step, text: isDaily ? day : isOneDay ? clock : `${day} ${clock}` }];
  });
}
