/** Formatters by zone; bounded, since a caller may spell one zone in many ways. */
const formatters = new Map<string, Intl.DateTimeFormat>();
const MAX_FORMATTERS = 50;
const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;

/** @throws RangeError for an unknown zone */
function getFormatter(zone: string): Intl.DateTimeFormat {
  const known = formatters.get(zone);
  if (known) return known;
  const made = new Intl.DateTimeFormat("en-US", {
    timeZone: zone,
    calendar: "gregory",
    numberingSystem: "latn",
    hourCycle: "h23",
    year: "numeric",
    month: "numeric",
    day: "numeric",
    hour: "numeric",
    minute: "numeric",
    second: "numeric",
  });
  if (formatters.size >= MAX_FORMATTERS) formatters.clear();
  formatters.set(zone, made);
  return made;
}

export function isTimeZone(zone: string): boolean {
  try {
    return zone !== "" && getFormatter(zone) !== null;
  } catch {
    return false;
  }
}

/** How far the clocks of a zone are ahead of UTC at an instant, in milliseconds. */
function getZoneOffset(at: number, zone: string): number {
  if (zone === "UTC") return 0;
  const parts: Record<string, number> = {};
  for (const { type, value } of getFormatter(zone).formatToParts(at)) parts[type] = Number(value);
  const { year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0 } = parts;
  return Date.UTC(year, month - 1, day, hour, minute, second) - Math.floor(at / 1_000) * 1_000;
}

/** Returns the clock time in the zone, as an ISO text without a zone: `2026-11-21T13:00:00.007`. */
export function toLocalIso(at: number, zone: string): string {
  return new Date(at + getZoneOffset(at, zone)).toISOString().slice(0, -1);
}

/** Formats the offset: `UTC`, `UTC+1`, `UTC-3:30`. */
export function formatZoneOffset(at: number, zone: string): string {
  const minutes = Math.round(getZoneOffset(at, zone) / MINUTE_MS);
  if (minutes === 0) return "UTC";
  const hours = Math.floor(Math.abs(minutes) / 60);
  const rest = Math.abs(minutes) % 60;
  return `UTC${minutes < 0 ? "-" : "+"}${hours}${rest === 0 ? "" : `:${String(rest).padStart(2, "0")}`}`;
}

/** The first instants of the last days in a zone, oldest first, today included. */
export function listDayStarts(now: number, count: number, zone: string): { day: string; start: number }[] {
  const today = Math.floor((now + getZoneOffset(now, zone)) / DAY_MS);
  return Array.from({ length: count }, (_, index) => {
    const midnight = (today - count + 1 + index) * DAY_MS;
    return { day: new Date(midnight).toISOString().slice(0, 10), start: toInstant(midnight, zone) };
  });
}

/** @param clockTime of the zone, in milliseconds as if it were UTC; one that the clocks skip is moved on */
export function toInstant(clockTime: number, zone: string): number {
  // The offset of the time before may differ, where clocks change in between.
  const guess = clockTime - getZoneOffset(clockTime, zone);
  return clockTime - getZoneOffset(guess, zone);
}

/** The first and the last instant of a day in a zone. @param day `2026-11-21` */
export function getDayBounds(day: string, zone: string): { since: number; until: number } {
  const midnight = Date.parse(`${day}T00:00:00Z`);
  return { since: toInstant(midnight, zone), until: toInstant(midnight + DAY_MS, zone) - 1 };
}
