const MINUTE_MS = 60_000;
/** Callers and tools; the one that was not called for longest is forgotten first. */
const MAX_KEYS = 10_000;
/** Calls of one caller and tool: more count as this many. */
const MAX_TIMES = 10_000;

/** Calls by caller and tool in the last minutes, for `count`. */
export interface CallCounts {
  /** @param minutes the largest window that is asked for */
  note(actorId: string, toolName: string, at: number, minutes: number): void;
  /** Calls in the minutes before a moment. */
  count(actorId: string, toolName: string, at: number, minutes: number): number;
}

const toKey = (actorId: string, toolName: string): string => `${actorId}\n${toolName}`;

export function createCallCounts(): CallCounts {
  const timesByKey = new Map<string, number[]>();
  return {
    note(actorId, toolName, at, minutes) {
      if (minutes === 0) return;
      const key = toKey(actorId, toolName);
      const times = timesByKey.get(key) ?? [];
      timesByKey.delete(key);
      timesByKey.set(key, times);
      times.push(at);
      if (times.length > 1 && at < (times[times.length - 2] ?? at)) times.sort((left, right) => left - right);
      const first = findFirstAfter(times, at - minutes * MINUTE_MS);
      // Dropped in larger parts, since each moves all that stay.
      if (first > times.length / 2 || times.length > MAX_TIMES)
        times.splice(0, Math.max(first, times.length - MAX_TIMES));
      if (timesByKey.size > MAX_KEYS) timesByKey.delete(timesByKey.keys().next().value as string);
    },
    count: (actorId, toolName, at, minutes) => countWithin(timesByKey.get(toKey(actorId, toolName)) ?? [], at, minutes),
  };
}

/** Of ascending times, those in the minutes before a moment; those of the moment itself count. */
function countWithin(times: readonly number[], at: number, minutes: number): number {
  return findFirstAfter(times, at) - findFirstAfter(times, at - minutes * MINUTE_MS);
}

/** The position of the first time after a moment. */
export function findFirstAfter(times: readonly number[], moment: number): number {
  let low = 0;
  let high = times.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((times[middle] ?? 0) > moment) high = middle;
    else low = middle + 1;
  }
  return low;
}
