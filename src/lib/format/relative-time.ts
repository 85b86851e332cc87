const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** Clocks of two machines differ: a time up to this far ahead counts as now. */
const CLOCK_SKEW_MS = 5_000;

/** `just now`, `12 s ago`, `3 min ago`, `2 h ago`, `5 d ago`; the date if older than 30 days. */
export function formatRelativeTime(at: number, now: number): string {
  const ago = now - at;
  if (ago < -CLOCK_SKEW_MS) return formatDate(at);
  if (ago < 5_000) return "just now";
  if (ago < MINUTE) return `${Math.floor(ago / 1_000)} s ago`;
  if (ago < HOUR) return `${Math.floor(ago / MINUTE)} min ago`;
  if (ago < DAY) return `${Math.floor(ago / HOUR)} h ago`;
  if (ago < 30 * DAY) return `${Math.floor(ago / DAY)} d ago`;
  return formatDate(at);
}

/** The day in UTC: `2026-11-21`. */
export function formatDate(at: number): string {
  return new Date(at).toISOString().slice(0, 10);
}

/** To the millisecond, in UTC. */
export function formatAbsoluteTime(at: number): string {
  return new Date(at).toISOString().replace("T", " ").replace("Z", " UTC");
}
