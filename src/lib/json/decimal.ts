import { ExactNumber } from "../contract/exact-number";

const NUMBER = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([-+]?\d+))?$/;
/** Programs do not write longer exponents. */
const MAX_EXPONENT_CHARS = 12;

/** A text that two JSON numbers have in common exactly where they have the same value: `1.0` and `1e0`; the text itself for no number. */
export function normalizeDecimal(text: string): string {
  const [, sign = "", whole = "", fraction = "", exponent = "0"] = NUMBER.exec(text) ?? [];
  if (whole === "" || exponent.length > MAX_EXPONENT_CHARS) return text;
  const digits = (whole + fraction).replace(/^0+/, "");
  const significant = digits.replace(/0+$/, "");
  if (significant === "") return "0";
  return `${sign}${significant}e${Number(exponent) - fraction.length + digits.length - significant.length}`;
}

/** Whether reading a JSON number as a double gives another value: 9007199254740993, or a fraction of twenty digits. */
export function isRounded(text: string): boolean {
  const read = Number(text);
  return !Number.isFinite(read) || normalizeDecimal(String(read)) !== normalizeDecimal(text);
}

/** Whether two values are numbers of the same value: doubles, or an `ExactNumber` with its text. */
export function areSameNumber(one: unknown, other: unknown): boolean {
  if (!(one instanceof ExactNumber || other instanceof ExactNumber)) return one === other && typeof one === "number";
  const isNumber = (value: unknown): boolean => typeof value === "number" || value instanceof ExactNumber;
  return isNumber(one) && isNumber(other) && normalizeDecimal(String(one)) === normalizeDecimal(String(other));
}
