import { equalJson } from "./equal-json";
import { mayChange, readNumbers } from "./exact-text";
import { childPointer, parsePointer } from "./json-pointer";

/**
 * Key of the digits in an object or list that was parsed. A symbol is copied with the other members by a spread, and is
 * neither compared nor serialized; a registered one is the same in every bundle of the process.
 */
const DIGITS = Symbol.for("toolroom.digits");
/** Deeper containers are not searched: `JSON.stringify` cannot write them either. */
const MAX_LEVELS = 2000;

/**
 * Texts by key: the numbers that `JSON.stringify` writes with other characters. Never changed, since copies share it.
 */
type Digits = ReadonlyMap<string, string>;
type Container = Record<string, unknown> & { [DIGITS]?: Digits };

const NONE: Digits = new Map();

const isContainer = (value: unknown): value is Container => typeof value === "object" && value !== null;

/** The digits of a member; undefined where `JSON.stringify` writes them, and where the number was replaced. */
function getDigits(container: Container, key: string, member: unknown): string | undefined {
  const text = typeof member === "number" ? container[DIGITS]?.get(key) : undefined;
  return text !== undefined && Object.is(Number(text), member) ? text : undefined;
}

/**
 * Parses like `JSON.parse` and keeps the digits of numbers, so that they are written unchanged: `1.0`,
 * 9007199254740993.
 * @throws SyntaxError
 */
export function parseWithDigits(text: string): unknown {
  const value: unknown = JSON.parse(text);
  markDigits(value, text);
  return value;
}

/** Gives a value that was just parsed the digits of its numbers. @param text the JSON text that it was parsed from */
export function markDigits(value: unknown, text: string): void {
  if (!isContainer(value) || !mayChange(text)) return;
  for (const [object, texts] of readNumbers(value, text)) {
    const container = object as Container;
    const kept = [...texts].filter(
      ([key, digits]) => Object.hasOwn(container, key) && Object.is(Number(digits), container[key]),
    );
    if (kept.length > 0) container[DIGITS] = new Map(kept);
  }
}

/**
 * Marks an answer, and so its copies, as one that has numbers with digits: others are not searched for them.
 * @returns the answer
 */
export const writeExactly = <Answer extends object>(answer: Answer): Answer =>
  Object.assign(answer, { [DIGITS]: NONE });

export const isWrittenExactly = (answer: object): boolean => (answer as Container)[DIGITS] !== undefined;

/** Gives the digits of the original to a copy whose members have the same keys. @returns the copy */
export function inheritDigits<Copy>(original: unknown, copy: Copy): Copy {
  const digits = isContainer(original) ? original[DIGITS] : undefined;
  if (digits !== undefined && isContainer(copy) && copy !== original) (copy as Container)[DIGITS] = digits;
  return copy;
}

/** The items at these positions, with their digits. */
export function pickItems(list: readonly unknown[], positions: readonly number[]): unknown[] {
  const items = positions.map((position) => list[position]);
  const digits = (list as unknown as Container)[DIGITS];
  if (digits === undefined) return items;
  const kept = positions.flatMap((position, index) => {
    const text = digits.get(String(position));
    return text === undefined ? [] : [[String(index), text] as const];
  });
  return Object.assign(items, { [DIGITS]: new Map(kept) });
}

/** Copies digits like `inheritDigits`, for every value at the same position in both. */
export function copyDigits<Copy>(original: unknown, copy: Copy): Copy {
  if (hasDigits(original)) copyInside(original, copy);
  return copy;
}

function copyInside(original: unknown, copy: unknown): void {
  if (!isContainer(original) || !isContainer(copy) || original === copy) return;
  inheritDigits(original, copy);
  for (const [key, member] of Object.entries(original)) {
    if (isContainer(member) && Object.hasOwn(copy, key)) copyInside(member, copy[key]);
  }
}

/** Whether `JSON.stringify` writes a number in the value with other digits than it was read with. */
export const hasDigits = (value: unknown): boolean => isMarked(value, 0);

function isMarked(value: unknown, level: number): boolean {
  if (!isContainer(value) || level > MAX_LEVELS) return false;
  if (value[DIGITS] !== undefined) return true;
  for (const key of Object.keys(value)) if (isContainer(value[key]) && isMarked(value[key], level + 1)) return true;
  return false;
}

/** Serializes like `JSON.stringify`, with the digits of numbers as they were read. */
export function stringifyWithDigits(value: object, indent?: number): string;
export function stringifyWithDigits(value: unknown, indent?: number): string | undefined;
export function stringifyWithDigits(value: unknown, indent?: number): string | undefined {
  const marked = new Set<object>();
  if (!collectMarked(value, marked, 0)) return JSON.stringify(value, null, indent) as string | undefined;
  return indent === undefined ? write(value, marked) : writeIndented(value, indent);
}

/** @param marked receives each container with a number whose digits differ, and those around it */
function collectMarked(value: unknown, marked: Set<object>, level: number): boolean {
  if (!isContainer(value) || level > MAX_LEVELS) return false;
  let found = value[DIGITS] !== undefined;
  for (const key of Object.keys(value)) {
    if (isContainer(value[key]) && collectMarked(value[key], marked, level + 1)) found = true;
  }
  if (found) marked.add(value);
  return found;
}

/** Leaves everything without such numbers to `JSON.stringify`, which is faster. */
function write(value: unknown, marked: ReadonlySet<object>): string | undefined {
  if (!isContainer(value) || !marked.has(value)) return JSON.stringify(value) as string | undefined;
  const writeMember = (key: string, member: unknown): string | undefined =>
    getDigits(value, key, member) ?? write(member, marked);
  if (Array.isArray(value)) {
    return `[${value.map((item: unknown, index) => writeMember(String(index), item) ?? "null").join(",")}]`;
  }
  const members = Object.entries(value).flatMap(([key, member]) => {
    const text = writeMember(key, member);
    return text === undefined ? [] : [`${JSON.stringify(key)}:${text}`];
  });
  return `{${members.join(",")}}`;
}

function writeIndented(value: unknown, indent: number): string | undefined {
  const mark = `number:${crypto.randomUUID()}:`;
  const text = JSON.stringify(
    value,
    function replace(this: Container, key: string, member: unknown) {
      const digits = getDigits(this, key, member);
      return digits === undefined ? member : mark + digits;
    },
    indent,
  ) as string | undefined;
  return text?.replaceAll(new RegExp(`"${mark}([^"]*)"`, "g"), "$1");
}

/** Whether the numbers of two values have the same digits. The values must be equal for `equalJson`. */
export function equalDigits(one: unknown, other: unknown): boolean {
  const isPlain = !hasDigits(one);
  return isPlain === !hasDigits(other) && (isPlain || equalJson(spell(one), spell(other)));
}

function spell(value: unknown): unknown {
  if (!isContainer(value)) return value;
  const spellMember = (key: string, member: unknown): unknown => {
    const digits = getDigits(value, key, member);
    return digits === undefined ? spell(member) : { number: digits };
  };
  return Array.isArray(value)
    ? value.map((item: unknown, index) => spellMember(String(index), item))
    : Object.fromEntries(Object.entries(value).map(([key, member]) => [key, spellMember(key, member)]));
}

/** The digits in a value by JSON pointer, for a message that carries the value itself as JSON; undefined where there are none. */
export function listDigits(value: unknown): Record<string, string> | undefined {
  const marked = new Set<object>();
  if (!collectMarked(value, marked, 0)) return undefined;
  const found: Record<string, string> = {};
  const visit = (container: unknown, pointer: string): void => {
    if (!isContainer(container) || !marked.has(container)) return;
    for (const [key, member] of Object.entries(container)) {
      const digits = getDigits(container, key, member);
      if (digits === undefined) visit(member, childPointer(pointer, key));
      else found[childPointer(pointer, key)] = digits;
    }
  };
  visit(value, "");
  return found;
}

/** Gives a value the digits of `listDigits`. JSON has no number as large as `1e400`, which stands there as null. */
export function applyDigits(value: unknown, digits: Readonly<Record<string, string>>): void {
  for (const [pointer, text] of Object.entries(digits)) {
    const keys = parsePointer(pointer);
    const key = keys.pop();
    const container = keys.reduce<unknown>(
      (inside, each) => (isContainer(inside) && Object.hasOwn(inside, each) ? inside[each] : undefined),
      value,
    );
    if (key === undefined || !isContainer(container) || !Object.hasOwn(container, key)) continue;
    const number = Number(text);
    const member = container[key];
    if (member !== null && typeof member !== "number") continue;
    if (!Object.is(member, number)) {
      Object.defineProperty(container, key, { value: number, enumerable: true, configurable: true, writable: true });
    }
    container[DIGITS] = new Map([...(container[DIGITS] ?? NONE), [key, text]]);
  }
}

interface Wire {
  json?: unknown;
  /** By JSON pointer: the digits of numbers that JSON would write with others. */
  digits?: Record<string, string>;
}

/**
 * Values travel between server and browser as plain JSON. Transformers that rebuild types refuse keys such as `constructor`
 * and `__proto__`, which a tool's parameters may have. Dates and maps are not supported: times are epoch milliseconds.
 */
export const plainJson = {
  /** Wraps the value in an envelope, so that fields can be added without breaking programs that call the API. */
  serialize(value: unknown): Wire {
    const digits = listDigits(value);
    return digits === undefined ? { json: value } : { json: value, digits };
  },
  deserialize(wire: Wire | undefined): unknown {
    if (wire?.digits !== undefined) applyDigits(wire.json, wire.digits);
    return wire?.json;
  },
};
