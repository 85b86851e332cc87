const JSON_NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;

/** The number that a text spells as JSON would, if it is a finite one; `1.`, `+1`, ` 1` and `1e400` are not. */
export function readNumber(text: string): number | null {
  if (!JSON_NUMBER.test(text)) return null;
  const number = Number(text);
  return Number.isFinite(number) ? number : null;
}

/** Significant digits and power of ten, so that `1.50`, `15e-1` and `1.5` compare equal. */
function toDecimal(literal: string): string {
  const [mantissa = "", exponent = "0"] = literal.toLowerCase().split("e");
  const negative = mantissa.startsWith("-");
  const [whole = "", fraction = ""] = mantissa.replace("-", "").split(".");
  const digits = `${whole}${fraction}`.replace(/^0+/, "");
  const significant = digits.replace(/0+$/, "");
  if (significant === "") return "0";
  const power = BigInt(exponent) - BigInt(fraction.length) + BigInt(digits.length - significant.length);
  return `${negative ? "-" : ""}${significant}e${power}`;
}

/** Returns the number that a JSON literal becomes after parsing; null if nothing is lost. */
export function lossyNumber(literal: string): string | null {
  const number = Number(literal);
  if (!Number.isFinite(number)) return "null";
  const kept = JSON.stringify(number);
  return toDecimal(literal) === toDecimal(kept) ? null : kept;
}
