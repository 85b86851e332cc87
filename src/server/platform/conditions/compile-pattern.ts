import { RE2JS } from "re2js";
import { getMessage } from "../../../lib/get-message";

/** Repetitions such as `{100}` are written out when a pattern is compiled, and nested ones multiply. */
const MAX_REPEATED = { sum: 500, product: 100_000 };
const MAX_PROGRAM = 2_000;

/** Compiles one pattern within limits. */
export function compilePattern(pattern: string): { pattern: RE2JS } | { problem: string } {
  const repeated = Array.from(pattern.matchAll(/\{(\d+)(?:,(\d*))?\}/g), ([, least, most]) => Number(most || least));
  const sum = repeated.reduce((total, count) => total + count, 0);
  const product = repeated.reduce((total, count) => total * Math.max(count, 1), 1);
  if (sum > MAX_REPEATED.sum || product > MAX_REPEATED.product) return { problem: "The pattern repeats too much" };
  try {
    const compiled = RE2JS.compile(pattern);
    return compiled.programSize() > MAX_PROGRAM ? { problem: "The pattern is too large" } : { pattern: compiled };
  } catch (error) {
    return { problem: getMessage(error) };
  }
}
