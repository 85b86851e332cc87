import { findStringEnd } from "../json-limits";

/**
 * Values that are nested deeper are not written as JSON. Counted, since engines differ: `JSON.stringify` overflows the stack at some 4,000 levels in
 * Node 20 and writes any depth in Node 26, and `structuredClone` overflows at 2,300 levels.
 */
export const MAX_JSON_LEVELS = 1000;

/** Whether arrays and objects of a JSON value are nested more than `levels` deep. Reads one level after the other, so its own stack stays flat. */
export function isNestedDeeperThan(value: unknown, levels: number): boolean {
  let level = isContainer(value) ? [value] : [];
  for (let depth = 0; level.length > 0; depth += 1) {
    if (depth === levels) return true;
    const next: object[] = [];
    for (const container of level) {
      for (const part of Object.values(container)) if (isContainer(part)) next.push(part);
    }
    level = next;
  }
  return false;
}

const isContainer = (value: unknown): value is object => typeof value === "object" && value !== null;

/**
 * The JSON text of a value; undefined for what JSON has no text for, such as a function.
 * @param replacer as for `JSON.stringify`
 * @throws RangeError for a value that is nested deeper than MAX_JSON_LEVELS
 */
export function writeJson(value: unknown, replacer?: (key: string, value: unknown) => unknown): string | undefined {
  assertJsonDepth(value);
  return JSON.stringify(value, replacer) as string | undefined;
}

/** @throws RangeError for a value that is nested deeper than MAX_JSON_LEVELS */
export function assertJsonDepth(value: unknown): void {
  if (isNestedDeeperThan(value, MAX_JSON_LEVELS)) throw tooDeep();
}

/** The same for the text of a value: reading it is far cheaper than visiting millions of lists. @throws RangeError */
export function assertTextDepth(text: string): void {
  // Each level takes two characters, so a short text needs no count.
  if (text.length > 2 * MAX_JSON_LEVELS && isTextNestedDeeperThan(text, MAX_JSON_LEVELS)) throw tooDeep();
}

const tooDeep = (): RangeError => new RangeError(`the value is nested deeper than ${MAX_JSON_LEVELS} levels`);

const QUOTE = 0x22;
const COMMA = 0x2c;
const OPEN_BRACKET = 0x5b;
const CLOSE_BRACKET = 0x5d;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;

/**
 * Whether a JSON text holds more than `most` values, counted without parsing it. An empty list or object may count as two values. Of a
 * text that is no JSON it counts brackets and commas.
 */
export function hasMoreValuesThan(text: string, most: number): boolean {
  if (text.length <= most) return false;
  let values = 1;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) at = findStringEnd(text, at);
    else if (code === COMMA || code === OPEN_BRACKET || code === OPEN_BRACE) {
      values += 1;
      if (values > most) return true;
    }
  }
  return false;
}

/** Whether a JSON text, which may have been cut, goes to its end: every string, list and object of it is closed. */
export function isWholeJson(text: string): boolean {
  let depth = 0;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) {
      at = findStringEnd(text, at);
      if (at === text.length) return false;
    } else if (code === OPEN_BRACKET || code === OPEN_BRACE) depth += 1;
    else if (code === CLOSE_BRACKET || code === CLOSE_BRACE) depth -= 1;
  }
  return depth === 0;
}

/** `isNestedDeeperThan` of a text, before it is parsed; of one that is no JSON too. */
export function isTextNestedDeeperThan(text: string, levels: number): boolean {
  if (text.length <= levels) return false;
  let depth = 0;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) at = findStringEnd(text, at);
    else if (code === OPEN_BRACKET || code === OPEN_BRACE) {
      depth += 1;
      if (depth > levels) return true;
    } else if (code === CLOSE_BRACKET || code === CLOSE_BRACE) depth -= 1;
  }
  return false;
}
