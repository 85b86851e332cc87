const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** Formats a number with a maximum of decimals, without trailing zeros. */
function trimmed(value: number, decimals: number): string {
  return String(Number(value.toFixed(decimals)));
}

/** Two adjacent units; the smaller one is omitted if it is 0. */
function inTwo(ms: number, large: number, largeName: string, small: number, smallName: string): string {
  const smallUnits = Math.round(ms / small);
  const perLarge = large / small;
  const rest = smallUnits % perLarge;
  const head = `${Math.floor(smallUnits / perLarge)} ${largeName}`;
  return rest === 0 ? head : `${head} ${rest} ${smallName}`;
}

/** `0.41 ms`, `1.2 s`, `2 min 3 s`; a dash for null and invalid durations. */
export function formatDuration(ms: number | null | undefined): string {
  if (ms === null || ms === undefined || !Number.isFinite(ms) || ms < 0) return "–";
  if (ms < 10) return `${ms > 0 && ms < 0.005 ? "<0.01" : trimmed(ms, 2)} ms`;
  if (ms < 99.95) return `${trimmed(ms, 1)} ms`;
  if (ms < 999.5) return `${Math.round(ms)} ms`;
  if (ms < 9_950) return `${trimmed(ms / SECOND, 1)} s`;
  if (ms < 59_500) return `${Math.round(ms / SECOND)} s`;
  if (ms < HOUR - SECOND / 2) return inTwo(ms, MINUTE, "min", SECOND, "s");
  if (ms < DAY - MINUTE / 2) return inTwo(ms, HOUR, "h", MINUTE, "min");
  return inTwo(ms, DAY, "d", HOUR, "h");
}
