const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** Clocks of two machines differ: what lies this little ahead is now. */
const CLOCK_SKEW_MS = 5_000;

/** How long ago, in one unit: `just now`, `12 s ago`, `3 min ago`, `2 h ago`, `5 d ago`; older than 30 days the date itself. */
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

/** The instant, to the millisecond, in UTC: the same on every machine, and exact enough to compare two calls. */
export function formatAbsoluteTime(at: number): string {
  return new Date(at).toISOString().replace("T", " ").replace("Z", " UTC");
}
