import { ExactNumber } from "../contract/exact-number";
import { isPlainObject } from "../contract/json";
import { createNotes } from "../notes";
import { findMember, findStringEnd, findValueEnd } from "./json-text";
import { getKeptText, keepText } from "./known-text";
import { isNestedDeeperThan } from "./limits";
import { isUnusual, toUsualText } from "./usual-text";

/** From this length, serializing a value again costs more than scanning its text. */
const LONG_CHARS = 16_384;
/** Text between its strings: beyond, serializing the value again is as fast as reading the text. */
const MAX_CHARS_BETWEEN = 2_000;
/** Deeper values are serialized from their parsed numbers. */
const MAX_LEVELS = 1000;
/** Every number that `JSON.stringify` writes with other characters has one of these; a string may too. */
const MAY_CHANGE = /\d{16}|\d[.eE]|-0/;

const QUOTE = 0x22;
const COMMA = 0x2c;
const MINUS = 0x2d;
const ZERO = 0x30;
const NINE = 0x39;
const COLON = 0x3a;
const OPEN_BRACKET = 0x5b;
const CLOSE_BRACKET = 0x5d;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;

/** The texts of numbers that would change, by the object or list that contains them and their key in it. */
type NumberTexts = ReadonlyMap<object, ReadonlyMap<string, string>>;

/** The numbers of parsed values and of their parts. */
const parts = createNotes<NumberTexts>();
const NO_NUMBERS: ReadonlyMap<string, string> = new Map();

/** Whether a text may hold a number that `JSON.stringify` writes with other characters: `1.0`, `1e3`, 9007199254740993. */
export const mayChange = (text: string): boolean => MAY_CHANGE.test(text);

/**
 * Keeps, for a parsed value, a text that has its numbers digit for digit, and no member twice: a server could read
 * another member than was validated. Also keeps the text of long values, which are then not serialized again.
 * @param text the JSON text that the value was parsed from
 */
export function keepExactText(value: unknown, text: string): void {
  if (typeof value !== "object" || value === null) return;
  const isLong = text.length > LONG_CHARS;
  if (!isLong && !MAY_CHANGE.test(text)) return;
  if (isNestedDeeperThan(value, MAX_LEVELS)) return;
  const isUsual = !isUnusual(text);
  if (isLong && isUsual && hasNoDuplicates(value, text, MAX_CHARS_BETWEEN)) keepText(value, text);
  else if (isLong && !mayChange(text)) return;
  else if (hasNoDuplicates(value, text, text.length)) keepText(value, toUsualText(text));
  else keepDigits(value, value, text);
}

/** Keeps for a result, whose members may stand twice as its server sent it, a text that has its numbers digit for digit. */
export function keepExactResult(result: unknown, text: string): void {
  if (typeof result === "object" && result !== null && mayChange(text)) keepText(result, toUsualText(text));
}

/**
 * Keeps a text for a copy that shares members with a value: their numbers have the digits of the value's own text.
 * Keeps none where the result would equal that of `JSON.stringify`.
 */
export function keepDigits(copy: object, value: object, text: string): void {
  const numbers = readNumbers(value, text);
  if (numbers.size > 0) keepText(copy, writeWith(copy, numbers));
}

/** Parses a JSON text and keeps its exact numbers. @throws SyntaxError */
export function parseExact(text: string): unknown {
  const value: unknown = JSON.parse(text);
  keepExactText(value, text);
  return value;
}

/** Parses like `parseExact`, for a caller that takes the text of a part with `toExactText`. @throws SyntaxError */
export function parseExactParts(text: string): unknown {
  const root: unknown = JSON.parse(text);
  if (!mayChange(text) || isNestedDeeperThan(root, MAX_LEVELS)) return root;
  const numbers = readNumbers(root, text);
  const keepParts = (value: unknown): boolean => {
    if (typeof value !== "object" || value === null) return false;
    const changed = Object.values(value).filter(keepParts).length > 0 || (numbers.get(value)?.size ?? 0) > 0;
    if (changed) parts.set(value, numbers);
    return changed;
  };
  keepParts(root);
  return root;
}

/** The JSON text of a value with the digits of its numbers; undefined where none was kept, and `JSON.stringify` writes the same ones. */
export function getExactText(value: object): string | undefined {
  const numbers = parts.get(value);
  return getKeptText(value) ?? (numbers === undefined ? undefined : writeWith(value, numbers));
}

export function toExactText(value: unknown): string | undefined {
  const kept = typeof value === "object" && value !== null ? getExactText(value) : undefined;
  return kept ?? (JSON.stringify(value) as string | undefined);
}

/** The texts of the numbers in an object or list that `parseExactParts` read, by their key; only those that `JSON.stringify` changes. */
export const getNumberTexts = (container: object): ReadonlyMap<string, string> =>
  parts.get(container)?.get(container) ?? NO_NUMBERS;

/** The JSON text of one member, from the value's kept text where there is one. */
export function toMemberText(value: object, key: string): string | undefined {
  const member = (value as Record<string, unknown>)[key];
  if (typeof member === "object" && member !== null && parts.get(member) !== undefined) return toExactText(member);
  const number = typeof member === "number" ? parts.get(value)?.get(value)?.get(key) : undefined;
  if (number !== undefined) return number;
  const text = getKeptText(value);
  const span = text === undefined || Array.isArray(value) ? null : findMember(text, 0, key);
  return span === null ? toExactText(member) : text?.slice(span.start, span.end);
}

/**
 * A copy of the value in which an `ExactNumber` stands for each number that would change; the value itself where no
 * number would change.
 */
export function readExact<Value>(value: Value): Value {
  const text = typeof value === "object" && value !== null ? getKeptText(value) : undefined;
  const numbers = text === undefined ? null : readNumbers(value, text);
  return numbers === null || numbers.size === 0 ? value : (toExact(value, numbers) as Value);
}

/** JSON text of a value that may hold an `ExactNumber`. */
export function writeExact(value: unknown): string | undefined {
  const mark = createMark();
  let isMarked = false;
  const text = JSON.stringify(value, (_key, member: unknown) => {
    if (!(member instanceof ExactNumber)) return member;
    isMarked = true;
    return `${mark}${member}`;
  }) as string | undefined;
  return isMarked && text !== undefined ? unmark(text, mark) : text;
}

/** JSON text with strings in place of the numbers that would change: the mark and the number's text. */
const writeMarked = (value: unknown, numbers: NumberTexts, mark: string): string =>
  JSON.stringify(value, function replace(this: object, key: string, member: unknown) {
    if (typeof member !== "number") return member;
    const text = numbers.get(this)?.get(key);
    return text !== undefined && Object.is(Number(text), member) ? mark + text : member;
  });

function writeWith(value: unknown, numbers: NumberTexts): string {
  const mark = createMark();
  return unmark(writeMarked(value, numbers, mark), mark);
}

const unmark = (text: string, mark: string): string => text.replaceAll(new RegExp(`"${mark}([^"]*)"`, "g"), "$1");

function toExact(value: unknown, numbers: NumberTexts): unknown {
  const mark = createMark();
  return JSON.parse(writeMarked(value, numbers, mark), (_key, member: unknown) =>
    typeof member === "string" && member.startsWith(mark) ? new ExactNumber(member.slice(mark.length)) : member,
  );
}

/** A mark that begins a string in place of a number; no string from outside has it. */
const createMark = (): string => `number:${crypto.randomUUID()}:`;

/** An object or list that the text has opened and not closed yet. */
interface OpenContainer {
  value: unknown;
  isList: boolean;
  key: string;
  index: number;
  /** The next string of an object is a key. */
  atKey: boolean;
}

/** The texts of numbers that would change. Reads the text along its value, so that of a member that stands twice the last one counts. */
export function readNumbers(root: unknown, text: string): NumberTexts {
  const numbers = new Map<object, Map<string, string>>();
  const open: OpenContainer[] = [];
  for (let at = 0; at < text.length; ) {
    const code = text.charCodeAt(at);
    const inside = open.at(-1);
    let next = at + 1;
    if (code === QUOTE) {
      next = findStringEnd(text, at);
      if (inside?.atKey) {
        inside.key = JSON.parse(text.slice(at, next)) as string;
        inside.atKey = false;
      }
    } else if (code === OPEN_BRACE || code === OPEN_BRACKET) {
      const isList = code === OPEN_BRACKET;
      open.push({
        value: inside === undefined ? root : readMember(inside),
        isList,
        key: "0",
        index: 0,
        atKey: !isList,
      });
    } else if (code === CLOSE_BRACE || code === CLOSE_BRACKET) {
      open.pop();
    } else if (code === COMMA && inside !== undefined) {
      inside.index += 1;
      if (inside.isList) inside.key = String(inside.index);
      else inside.atKey = true;
    } else if (code === MINUS || (code >= ZERO && code <= NINE)) {
      next = findValueEnd(text, at);
      if (inside !== undefined) noteNumber(numbers, inside, text.slice(at, next));
    }
    at = next;
  }
  return numbers;
}

function readMember({ value, key }: OpenContainer): unknown {
  return typeof value === "object" && value !== null && Object.hasOwn(value, key)
    ? (value as Record<string, unknown>)[key]
    : undefined;
}

function noteNumber(numbers: Map<object, Map<string, string>>, { value, key }: OpenContainer, text: string): void {
  if (typeof value !== "object" || value === null) return;
  const noted = numbers.get(value);
  if (JSON.stringify(Number(text)) === text) {
    noted?.delete(key);
  } else if (noted === undefined) {
    numbers.set(value, new Map([[key, text]]));
  } else {
    noted.set(key, text);
  }
}

/** Whether the text has as many members as the value that was parsed from it. False also for a text that has much between its strings. */
function hasNoDuplicates(value: object, text: string, maxBetween: number): boolean {
  let members = 0;
  let between = 0;
  for (let index = 0; index < text.length; index += 1) {
    const unit = text.charCodeAt(index);
    if (unit === QUOTE) index = findStringEnd(text, index) - 1;
    else if (unit === COLON) members += 1;
    between += 1;
    if (between > maxBetween) return false;
  }
  return members === countMembers(value);
}

function countMembers(value: unknown): number {
  if (typeof value !== "object" || value === null) return 0;
  const parts = Object.values(value);
  return parts.reduce<number>((sum, part) => sum + countMembers(part), isPlainObject(value) ? parts.length : 0);
}
