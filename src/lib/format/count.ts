/** One locale, so that the server's HTML and the browser's agree. */
const WHOLE = new Intl.NumberFormat("en-US", { maximumFractionDigits: 0 });
const PERCENT = new Intl.NumberFormat("en-US", { maximumFractionDigits: 1 });

/** A count with its thousands apart: `18,204`. */
export function formatCount(count: number): string {
  return WHOLE.format(count);
}

/** A part of a whole: `0.2 %`. Nothing of nothing is a dash: there is no rate to speak of. */
export function formatRate(part: number, whole: number): string {
  if (whole <= 0) return "–";
  const percent = (100 * part) / whole;
  if (part > 0 && percent < 0.05) return "<0.1 %";
  if (part < whole && percent > 99.95) return ">99.9 %";
  return `${PERCENT.format(percent)} %`;
}

/** `1 call`, `2 calls`. */
export function formatPlural(count: number, one: string, many = `${one}s`): string {
  return `${formatCount(count)} ${count === 1 ? one : many}`;
}
