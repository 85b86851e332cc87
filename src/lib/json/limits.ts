/** The limit of one object: growing a larger one, or going through its keys, holds the event loop. */
export const MAX_KEYS = 100_000;
/** The limit of a text: each list and object takes some 60 bytes, which the garbage collector has to go through. */
export const MAX_CONTAINERS = 1_000_000;
/** The length of the shortest member, `"":0,`. */
const MIN_MEMBER_CHARS = 5;
/** The length of the shortest list. */
const MIN_CONTAINER_CHARS = 2;

const QUOTE = 0x22;
const COMMA = 0x2c;
const COLON = 0x3a;
const OPEN_BRACKET = 0x5b;
const BACKSLASH = 0x5c;
const CLOSE_BRACKET = 0x5d;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;

type LimitCode = "TOO_MANY_KEYS" | "TOO_MANY_CONTAINERS" | "TOO_DEEP";
const CODES: ReadonlySet<unknown> = new Set<LimitCode>(["TOO_MANY_KEYS", "TOO_MANY_CONTAINERS", "TOO_DEEP"]);

const readCode = (error: unknown): unknown => (error as { code?: unknown } | null)?.code;

export const isTooDeepError = (error: unknown): error is Error => readCode(error) === ("TOO_DEEP" satisfies LimitCode);

/** Whether JSON was refused for its shape, such as its depth. */
export const isBeyondLimits = (error: unknown): error is Error => CODES.has(readCode(error));

const withCode = <Problem extends Error>(error: Problem, code: LimitCode): Problem => Object.assign(error, { code });

export const tooDeep = (message: string): SyntaxError => withCode(new SyntaxError(message), "TOO_DEEP");

const group = (count: number): string => count.toLocaleString("en-US");

export function tooManyKeys(most: number): Error {
  return withCode(new Error(`An object in the text has more than ${group(most)} keys: split it`), "TOO_MANY_KEYS");
}

export function tooManyContainers(most: number): Error {
  const message = `The text has more than ${group(most)} lists and objects: send it in parts`;
  return withCode(new Error(message), "TOO_MANY_CONTAINERS");
}

interface JsonLimits {
  /** The limit of keys in one object. */
  inOne?: number;
  /** Keys of all objects together. */
  inAll?: number;
  /** The limit of lists and objects together. */
  containers?: number;
}

/**
 * Looks at a text before `JSON.parse` does: objects with very many keys, and very many lists and objects, take it hundreds of milliseconds.
 * @throws Error that `isBeyondLimits` recognizes, never for a text that is no JSON
 */
export function assertWithinLimits(
  text: string,
  { inOne = MAX_KEYS, inAll = Number.POSITIVE_INFINITY, containers = MAX_CONTAINERS }: JsonLimits = {},
): void {
  const hasFewKeys = text.length < MIN_MEMBER_CHARS * Math.min(inOne, inAll);
  if (hasFewKeys && text.length < MIN_CONTAINER_CHARS * containers) return;
  const open: number[] = [0];
  let all = 0;
  let opened = 0;
  for (let index = 0; index < text.length; index += 1) {
    const unit = text.charCodeAt(index);
    if (unit === QUOTE) index = findStringEnd(text, index);
    else if (unit === OPEN_BRACE || unit === OPEN_BRACKET) {
      open.push(0);
      opened += 1;
      if (opened > containers) throw tooManyContainers(containers);
    } else if ((unit === CLOSE_BRACE || unit === CLOSE_BRACKET) && open.length > 1) open.pop();
    else if (unit === COLON) {
      const keys = (open.pop() ?? 0) + 1;
      open.push(keys);
      all += 1;
      if (keys > inOne) throw tooManyKeys(inOne);
      if (all > inAll) {
        const message = `The objects in the text have more than ${group(inAll)} keys: send it in parts`;
        throw withCode(new Error(message), "TOO_MANY_KEYS");
      }
    }
  }
}

/** The index of the closing quote; the text's length where there is none. */
export function findStringEnd(text: string, start: number): number {
  for (let end = text.indexOf('"', start + 1); end !== -1; end = text.indexOf('"', end + 1)) {
    let escapes = 0;
    while (text.charCodeAt(end - 1 - escapes) === BACKSLASH) escapes += 1;
    if (escapes % 2 === 0) return end;
  }
  return text.length;
}

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
  if (isNestedDeeperThan(value, MAX_JSON_LEVELS)) throw valueTooDeep();
}

/** Checks the depth of a JSON text: reading it is far cheaper than visiting millions of lists. @throws RangeError */
export function assertTextDepth(text: string): void {
  // Each level takes two characters, so a short text needs no count.
  if (text.length > 2 * MAX_JSON_LEVELS && isTextNestedDeeperThan(text, MAX_JSON_LEVELS)) throw valueTooDeep();
}

const valueTooDeep = (): RangeError => new RangeError(`the value is nested deeper than ${MAX_JSON_LEVELS} levels`);

/**
 * Whether a JSON text holds more than `most` values, counted without parsing it. An empty list or object may count as
 * two values. In a text that is not JSON it counts brackets and commas.
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

/** `isNestedDeeperThan` for a text before it is parsed, also for invalid JSON. */
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
