import { listDayStarts } from "./time-zone";

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
const STEPS = [1, 5, 15].map((minutes) => minutes * MINUTE_MS).concat([1, 3, 6].map((hours) => hours * HOUR_MS));
const DAY_STEPS = [1, 2, 7, 14, 30, 90, 365];
/** The maximum number of steps. The preset "Last hour" covers 61 minutes. */
const MOST_STEPS = 62;
/** A chart of a longer range starts at its first call. */
export const LONGEST_TIME_MS = 730 * DAY_MS;

/**
 * Lists the starts of the steps that cover a time range, oldest first. The step is the shortest round length of at least `shortest` milliseconds
 * that gives at most `MOST_STEPS` steps. Steps of a day or longer start at midnight of the zone. No step has 30 minutes: statistics have no such rows.
 */
export function listTimeSteps(since: number, until: number, zone: string, shortest = MINUTE_MS) {
  const last = Math.max(since, until);
  const steps = STEPS.filter((each) => each >= shortest);
  const step = steps.find((each) => Math.floor(last / each) - Math.floor(since / each) < MOST_STEPS);
  if (step !== undefined) {
    const first = Math.floor(since / step) * step;
    const count = Math.floor((last - first) / step) + 1;
    return { starts: Array.from({ length: count }, (_, at) => first + at * step), end: first + count * step };
  }
  const days = Math.ceil((last - since) / DAY_MS) + 2;
  const each = DAY_STEPS.find((length) => days / length < MOST_STEPS) ?? Math.ceil(days / MOST_STEPS);
  const midnights = listDayStarts(last, days + each, zone).map(({ start }) => start);
  const end = listDayStarts(last + DAY_MS, 1, zone)[0]?.start ?? last + DAY_MS;
  // Counted back from the newest day, whose step is whole.
  const starts = midnights.filter((_, at) => (midnights.length - at) % each === 0);
  const from = starts.findLastIndex((start) => start <= since);
  return { starts: starts.slice(Math.max(0, from)), end };
}
