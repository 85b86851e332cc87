import { toInstant, toLocalIso } from "../format/time-zone";

/** A cron expression as the values that each of its five fields allows. */
export interface Cron {
  minutes: readonly number[];
  hours: readonly number[];
  days: ReadonlySet<number>;
  months: ReadonlySet<number>;
  weekdays: ReadonlySet<number>;
  /** Whether one matching day is enough, since both kinds of days are limited. */
  matchesEitherDay: boolean;
}

interface Field {
  label: string;
  from: number;
  to: number;
  names?: readonly string[];
}

const MONTHS = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];
const WEEKDAYS = ["sun", "mon", "tue", "wed", "thu", "fri", "sat"];
const FIELDS: readonly Field[] = [
  { label: "minute", from: 0, to: 59 },
  { label: "hour", from: 0, to: 23 },
  { label: "day of the month", from: 1, to: 31 },
  { label: "month", from: 1, to: 12, names: MONTHS },
  // Both 0 and 7 are Sunday.
  { label: "day of the week", from: 0, to: 7, names: WEEKDAYS },
];
const SHORTHANDS: Readonly<Record<string, string>> = {
  "@hourly": "0 * * * *",
  "@daily": "0 0 * * *",
  "@midnight": "0 0 * * *",
  "@weekly": "0 0 * * 0",
  "@monthly": "0 0 1 * *",
};
const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;
const MINUTE_MS = 60_000;
/** A leap year's February 29 comes within eight years, also around 2100. */
const MAX_DAYS = 366 * 8 + 2;

/** @returns what is wrong with it in place of the parsed expression */
export function parseCron(expression: string): Cron | { problem: string } {
  const text = expression.trim().toLowerCase();
  const parts = (Object.hasOwn(SHORTHANDS, text) ? (SHORTHANDS[text] ?? "") : text).split(/\s+/);
  if (parts.length !== FIELDS.length) {
    return { problem: "must have five fields: minute, hour, day of the month, month, day of the week" };
  }
  const values: number[][] = [];
  for (const [at, field] of FIELDS.entries()) {
    const read = parseField(parts[at] ?? "", field);
    if (read === null) {
      return {
        problem: `has no usable ${field.label}: "${(parts[at] ?? "").slice(0, 40)}" (${field.from}–${field.to})`,
      };
    }
    values.push(read);
  }
  const [minutes = [], hours = [], days = [], months = [], weekdays = []] = values;
  const isLimited = (at: number): boolean => !parts[at]?.startsWith("*");
  return {
    minutes,
    hours,
    days: new Set(days),
    months: new Set(months),
    weekdays: new Set(weekdays.map((day) => day % 7)),
    matchesEitherDay: isLimited(2) && isLimited(4),
  };
}

/** Sorted values; null for a text that is not a field. */
function parseField(text: string, { from, to, names }: Field): number[] | null {
  const toNumber = (word: string): number => {
    const named = names?.indexOf(word) ?? -1;
    if (named >= 0) return named + (from === 1 ? 1 : 0);
    return /^\d{1,2}$/.test(word) ? Number(word) : Number.NaN;
  };
  const found = new Set<number>();
  for (const part of text.split(",")) {
    const [, range = "", stepText] = /^([^/]+)(?:\/(\d{1,2}))?$/.exec(part) ?? [];
    const step = stepText === undefined ? 1 : Number(stepText);
    const [firstWord = "", lastWord] = range === "*" ? [String(from), String(to)] : range.split("-", 2);
    const first = toNumber(firstWord);
    // `5/15` counts from 5 to the end.
    const last = lastWord !== undefined ? toNumber(lastWord) : stepText !== undefined ? to : first;
    const isRange = first >= from && last <= to && first <= last;
    if (!isRange || step < 1 || range.split("-").length > 2) return null;
    for (let value = first; value <= last; value += step) found.add(value);
  }
  return [...found].sort((one, other) => one - other);
}

/** The first instant after `from` that the expression names in a time zone; null for one that never comes. */
export function findNextTime(cron: Cron, zone: string, from: number): number | null {
  const clock = Date.parse(`${toLocalIso(from, zone)}Z`);
  const today = Math.floor(clock / DAY_MS) * DAY_MS;
  for (let day = 0; day < MAX_DAYS; day += 1) {
    const midnight = today + day * DAY_MS;
    if (!isDay(cron, new Date(midnight))) continue;
    for (const hour of cron.hours) {
      // An hour that the clocks repeat may still be ahead.
      if (midnight + (hour + 2) * HOUR_MS < clock) continue;
      for (const minute of cron.minutes) {
        const at = toInstant(midnight + hour * HOUR_MS + minute * MINUTE_MS, zone);
        if (at > from) return at;
      }
    }
  }
  return null;
}

function isDay({ days, months, weekdays, matchesEitherDay }: Cron, date: Date): boolean {
  if (!months.has(date.getUTCMonth() + 1)) return false;
  const isOfMonth = days.has(date.getUTCDate());
  const isOfWeek = weekdays.has(date.getUTCDay());
  return matchesEitherDay ? isOfMonth || isOfWeek : isOfMonth && isOfWeek;
}
