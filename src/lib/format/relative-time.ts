import { formatZoneOffset, toLocalIso } from "./time-zone";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** Clocks of two machines differ: a time up to this far ahead counts as now. */
const CLOCK_SKEW_MS = 5_000;

/** `just now`, `12 s ago`, `3 min ago`, `2 h ago`, `5 d ago`; the date if older than 30 days. */
export function formatRelativeTime(at: number, now: number, zone: string): string {
  const ago = now - at;
  if (isDated(ago)) return formatDate(at, zone);
  if (ago < 5_000) return "just now";
  if (ago < MINUTE) return `${Math.floor(ago / 1_000)} s ago`;
  if (ago < HOUR) return `${Math.floor(ago / MINUTE)} min ago`;
  if (ago < DAY) return `${Math.floor(ago / HOUR)} h ago`;
  return `${Math.floor(ago / DAY)} d ago`;
}

const isDated = (ago: number): boolean => ago < -CLOCK_SKEW_MS || ago >= 30 * DAY;

/** Formats the time of day: `13:04:31.207`. */
export const formatClockTime = (at: number, zone: string): string => toLocalIso(at, zone).slice(11);

/** Formats the day: `2026-11-21`. */
export const formatDate = (at: number, zone: string): string => toLocalIso(at, zone).slice(0, 10);

/** Formats an instant to the millisecond: `2026-11-21 13:00:00.007 UTC+1`. */
export function formatAbsoluteTime(at: number, zone: string): string {
  return `${toLocalIso(at, zone).replace("T", " ")} ${formatZoneOffset(at, zone)}`;
}

/** Formats an instant with the name of the zone, for tooltips: `… UTC+1 (Europe/Berlin)`. */
export function describeInstant(at: number, zone: string): string {
  const absolute = formatAbsoluteTime(at, zone);
  return zone === "UTC" ? absolute : `${absolute} (${zone})`;
}
