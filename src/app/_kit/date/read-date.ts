import { formatDate, getDayBounds, toInstant, toLocalIso } from "@/lib/format";

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

const UNITS_MS: readonly (readonly [pattern: RegExp, ms: number])[] = [
  [/^(m|min|mins|minutes?)$/, MINUTE_MS],
  [/^(h|hrs?|hours?)$/, HOUR_MS],
  [/^(d|days?)$/, DAY_MS],
  [/^(w|weeks?)$/, 7 * DAY_MS],
];

const NAMED_DAYS: Readonly<Record<string, number>> = { yesterday: -1, today: 0, tomorrow: 1 };

const AGO = /^(\d{1,5}) ?([a-z]+)( ago)?$/;
const TIME = "(\\d{1,2}):(\\d\\d)(?::(\\d\\d)(?:\\.(\\d{1,3})\\d*)?)?";
const CLOCK = new RegExp(`^${TIME}$`);
const DATED = new RegExp(
  `^(\\d{4}-\\d\\d-\\d\\d|yesterday|today|tomorrow)(?:[ t]+${TIME} ?(z|utc|[+-]\\d\\d:\\d\\d)?)?$`,
);

interface ReadDateOptions {
  now: number;
  zone: string;
  /** The instant of a day that is named without a time: its first or its last. */
  edge?: "start" | "end";
}

/**
 * Reads `2026-11-29 14:00`, a day alone, `yesterday`, `today 9:30`, `14:00`, `now`, and what is ago, as `7d` or `90 min`.
 * @returns epoch milliseconds; null for any other text, and for days and times that do not exist
 */
export function readDate(text: string, { now, zone, edge = "start" }: ReadDateOptions): number | null {
  const given = text.trim().toLowerCase().replace(/\s+/g, " ");
  if (given === "now") return now;
  const ago = AGO.exec(given);
  if (ago) {
    const unit = UNITS_MS.find(([pattern]) => pattern.test(ago[2] ?? ""));
    return unit === undefined ? null : now - Number(ago[1]) * unit[1];
  }
  const clock = CLOCK.exec(given);
  if (clock) return place(readDay("today", now, zone), readClock(clock.slice(1)), zone);
  const dated = DATED.exec(given);
  if (!dated) return null;
  const day = readDay(dated[1] ?? "", now, zone);
  if (dated[2] === undefined) return day === null ? null : getDayBounds(day, zone)[edge === "end" ? "until" : "since"];
  return place(day, readClock(dated.slice(2)), zone, dated[6]);
}

/** Returns a named or written day as `2026-11-29`; null for one that no calendar has. */
function readDay(name: string, now: number, zone: string): string | null {
  const offset = NAMED_DAYS[name];
  if (offset !== undefined) return shiftDay(formatDate(now, zone), offset);
  const at = Date.parse(`${name}T00:00:00Z`);
  return Number.isNaN(at) || new Date(at).toISOString().slice(0, 10) !== name ? null : name;
}

/** The milliseconds after midnight; null for a time that no clock shows. */
function readClock([hour, minute, second, fraction = ""]: readonly (string | undefined)[]): number | null {
  const seconds = Number(second ?? 0);
  if (Number(hour) > 23 || Number(minute) > 59 || seconds > 59) return null;
  return Number(hour) * HOUR_MS + Number(minute) * MINUTE_MS + seconds * 1_000 + Number(fraction.padEnd(3, "0"));
}

/** @param offset of the clock from UTC, as the text has it; absent for a clock of the zone */
function place(day: string | null, clock: number | null, zone: string, offset?: string): number | null {
  if (day === null || clock === null) return null;
  const asUtc = Date.parse(`${day}T00:00:00Z`) + clock;
  if (offset === undefined) return toInstant(asUtc, zone);
  const [, sign, hours, minutes] = /^([+-])(\d\d):(\d\d)$/.exec(offset) ?? [];
  if (sign === undefined) return asUtc;
  return asUtc - (sign === "-" ? -1 : 1) * (Number(hours) * HOUR_MS + Number(minutes) * MINUTE_MS);
}

/** Moves a day such as `2026-11-29` by a number of days. */
export function shiftDay(day: string, days: number): string {
  return new Date(Date.parse(`${day}T00:00:00Z`) + days * DAY_MS).toISOString().slice(0, 10);
}

/** Moves a day by a number of months, to the same day or the last one of a shorter month. */
export function shiftMonth(day: string, months: number): string {
  const [year = 0, month = 1, date = 1] = day.split("-").map(Number);
  const last = new Date(Date.UTC(year, month + months, 0)).getUTCDate();
  return new Date(Date.UTC(year, month - 1 + months, Math.min(date, last))).toISOString().slice(0, 10);
}

const KEY_DAYS: Readonly<Record<string, number>> = { ArrowLeft: -1, ArrowRight: 1, ArrowUp: -7, ArrowDown: 7 };

/** The day that a key of a calendar leads to, with Shift by years instead of months; null for any other key. */
export function moveByKey(day: string, key: string, isShifted: boolean): string | null {
  const months = isShifted ? 12 : 1;
  if (key === "PageUp") return shiftMonth(day, -months);
  if (key === "PageDown") return shiftMonth(day, months);
  const weekday = (new Date(`${day}T00:00:00Z`).getUTCDay() + 6) % 7;
  if (key === "Home") return shiftDay(day, -weekday);
  if (key === "End") return shiftDay(day, 6 - weekday);
  return Object.hasOwn(KEY_DAYS, key) ? shiftDay(day, KEY_DAYS[key] ?? 0) : null;
}

/** The weeks of a day's month from Monday on: six, so that no month is higher than another. */
export function listWeeks(day: string): string[][] {
  const first = `${day.slice(0, 7)}-01`;
  const weekday = (new Date(`${first}T00:00:00Z`).getUTCDay() + 6) % 7;
  return Array.from({ length: 6 }, (_, week) =>
    Array.from({ length: 7 }, (_, at) => shiftDay(first, week * 7 + at - weekday)),
  );
}

/** Writes an instant in the form that `readDate` reads: `2026-11-29 14:00`, with seconds where it has some. */
export function writeInstant(at: number, zone: string): string {
  const local = toLocalIso(at, zone).replace("T", " ");
  // A minute's last instant ends a range, so its seconds are not shown.
  return /:(00\.000|59\.999)$/.test(local) ? local.slice(0, 16) : local.slice(0, 19);
}
