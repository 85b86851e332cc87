import { isRounded } from "./decimal";
import { getNumberTexts } from "./exact-text";

/** A value in which each number that a double cannot hold has a double of its own, close to it. */
export interface StoodIn {
  value: unknown;
  /** The original texts of numbers, by the double that replaces each. */
  texts: ReadonlyMap<number, string>;
}

const doubles = new Float64Array(1);
const bits = new BigInt64Array(doubles.buffer);

/** The next double that is farther from zero, or closer for the largest ones. */
function findNext(value: number): number {
  doubles[0] = value;
  const [current = 0n] = bits;
  bits[0] = current + (Math.abs(value) === Number.MAX_VALUE ? -1n : 1n);
  return Math.abs(doubles[0]) === Number.POSITIVE_INFINITY ? Number.MAX_VALUE : doubles[0];
}

/**
 * Lets a program that knows doubles alone choose and compare numbers without taking one for another. The value itself where every
 * number is a double. @param root of `parseExactParts`, or made of its results
 */
export function standInNumbers(root: unknown): StoodIn {
  const taken = new Set<number>();
  const rounded = new Set<string>();
  eachNumber(root, (value, text) => {
    if (text !== undefined && isRounded(text)) rounded.add(text);
    else taken.add(value);
  });
  if (rounded.size === 0) return { value: root, texts: new Map() };
  const texts = new Map<number, string>();
  const standIns = new Map<string, number>();
  for (const text of rounded) {
    let standIn = Math.max(-Number.MAX_VALUE, Math.min(Number(text), Number.MAX_VALUE));
    while (taken.has(standIn)) standIn = findNext(standIn);
    taken.add(standIn);
    texts.set(standIn, text);
    standIns.set(text, standIn);
  }
  return { value: replaceNumbers(root, standIns), texts };
}

/** The JSON text of a value with stand-ins, with the numbers in their place. */
export function writeStandIns(value: unknown, texts: ReadonlyMap<number, string>): string | undefined {
  if (texts.size === 0) return JSON.stringify(value) as string | undefined;
  const mark = `number ${crypto.randomUUID()} `;
  const written = JSON.stringify(value, (_key, member: unknown) => {
    const text = typeof member === "number" ? texts.get(member) : undefined;
    return text === undefined ? member : mark + text;
  }) as string | undefined;
  return written?.replaceAll(new RegExp(`"${mark}([^"]+)"`, "g"), "$1");
}

function eachNumber(root: unknown, visit: (value: number, text: string | undefined) => void): void {
  const open: object[] = typeof root === "object" && root !== null ? [root] : [];
  for (let container = open.pop(); container !== undefined; container = open.pop()) {
    const texts = getNumberTexts(container);
    for (const [key, member] of Object.entries(container)) {
      if (typeof member === "number") visit(member, texts.get(key));
      else if (typeof member === "object" && member !== null) open.push(member);
    }
  }
}

function replaceNumbers(value: unknown, standIns: ReadonlyMap<string, number>): unknown {
  if (typeof value !== "object" || value === null) return value;
  const texts = getNumberTexts(value);
  const replace = (key: string, member: unknown): unknown =>
    typeof member === "number" ? (standIns.get(texts.get(key) ?? "") ?? member) : replaceNumbers(member, standIns);
  if (Array.isArray(value)) return value.map((member, index) => replace(String(index), member));
  const copy: Record<string, unknown> = {};
  for (const [key, member] of Object.entries(value)) {
    // A key such as `__proto__` is a member like any other.
    Object.defineProperty(copy, key, {
      value: replace(key, member),
      enumerable: true,
      configurable: true,
      writable: true,
    });
  }
  return copy;
}
