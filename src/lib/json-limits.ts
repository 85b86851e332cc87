/** The limit of one object: growing a larger one, or going through its keys, holds the event loop. */
export const MAX_KEYS = 100_000;
/** The limit of a text: each list and object takes some 60 bytes, which the garbage collector has to go through. */
export const MAX_CONTAINERS = 1_000_000;
/** The length of the shortest member, `"":0,`. */
const MIN_MEMBER_CHARS = 5;
/** The length of the shortest list. */
const MIN_CONTAINER_CHARS = 2;

const QUOTE = 34;
const COLON = 58;
const BACKSLASH = 92;
const OPEN_ARRAY = 91;
const CLOSE_ARRAY = 93;
const OPEN_OBJECT = 123;
const CLOSE_OBJECT = 125;

type LimitCode = "TOO_MANY_KEYS" | "TOO_MANY_CONTAINERS" | "TOO_DEEP";
const CODES: ReadonlySet<unknown> = new Set<LimitCode>(["TOO_MANY_KEYS", "TOO_MANY_CONTAINERS", "TOO_DEEP"]);

const readCode = (error: unknown): unknown => (error as { code?: unknown } | null)?.code;

export const isTooDeepError = (error: unknown): error is Error => readCode(error) === ("TOO_DEEP" satisfies LimitCode);

/** JSON that is refused for its shape, whatever else it says. */
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
  /** Keys of one object. */
  inOne?: number;
  /** Keys of all objects together. */
  inAll?: number;
  /** Lists and objects together. */
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
    else if (unit === OPEN_OBJECT || unit === OPEN_ARRAY) {
      open.push(0);
      opened += 1;
      if (opened > containers) throw tooManyContainers(containers);
    } else if ((unit === CLOSE_OBJECT || unit === CLOSE_ARRAY) && open.length > 1) open.pop();
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
