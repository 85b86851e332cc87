/** A window is counted in so many parts: room comes back at most one of them after the window has passed, and never before. */
const PARTS = 60;
const MINUTE_MS = 60_000;

/** Units by the number of their part. */
export type Usage = Map<number, number>;

const getPartMs = (minutes: number): number => (minutes * MINUTE_MS) / PARTS;

/** The part that a moment is in. */
export const toPart = (at: number, minutes: number): number => Math.floor(at / getPartMs(minutes));

/** The oldest part that counts during a part. */
export const getOldestPart = (part: number): number => part - PARTS;

const getFirstPart = (at: number, minutes: number): number => getOldestPart(toPart(at, minutes));

/** When a part no longer counts. */
export const toExpiry = (part: number, minutes: number): number => (part + PARTS + 1) * getPartMs(minutes);

/** Parts of the future count too: clocks of instances differ. */
export function countUsed(usage: Usage, at: number, minutes: number): number {
  const first = getFirstPart(at, minutes);
  let used = 0;
  for (const [part, units] of usage) if (part >= first) used += units;
  return Math.max(used, 0);
}

/** When there is room for one unit; null where there is room now. */
export function findFreeAt(
  usage: Usage,
  at: number,
  { minutes, most }: { minutes: number; most: number },
): number | null {
  const first = getFirstPart(at, minutes);
  let used = countUsed(usage, at, minutes);
  if (used < most) return null;
  const parts = [...usage].filter(([part]) => part >= first).sort(([left], [right]) => left - right);
  for (const [part, units] of parts) {
    used -= units;
    if (used < most) return toExpiry(part, minutes);
  }
  return null;
}

export function addUnits(usage: Usage, part: number, units: number): void {
  usage.set(part, (usage.get(part) ?? 0) + units);
}

/** Drops the parts that no longer count. */
export function dropExpired(usage: Usage, at: number, minutes: number): void {
  const first = getFirstPart(at, minutes);
  for (const part of usage.keys()) if (part < first) usage.delete(part);
}
