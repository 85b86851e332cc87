/** A fixed locale, so that HTML of server and browser agree. */
const WHOLE = new Intl.NumberFormat("en-US", { maximumFractionDigits: 0 });
const PERCENT = new Intl.NumberFormat("en-US", { maximumFractionDigits: 1 });

/** Formats a count: `18,204`. */
export const formatCount = (count: number): string => WHOLE.format(count);

/** `0.2%`; a dash if the whole is 0. */
export function formatRate(part: number, whole: number): string {
  if (whole <= 0) return "–";
  const percent = (100 * part) / whole;
  if (part > 0 && percent < 0.05) return "<0.1%";
  if (part < whole && percent > 99.95) return ">99.9%";
  return `${PERCENT.format(percent)}%`;
}

/** Formats a count with its noun: `1 call`, `2 calls`. */
export function formatPlural(count: number, one: string, many = `${one}s`): string {
  return `${formatCount(count)} ${count === 1 ? one : many}`;
}
