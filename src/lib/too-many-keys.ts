/** The limit of one object: growing a larger one, or going through its keys, holds the event loop. */
export const MAX_KEYS = 100_000;
const CODE = "TOO_MANY_KEYS";
/** The length of the shortest member, `"":0,`. */
const MIN_MEMBER_CHARS = 5;

const QUOTE = 34;
const COLON = 58;
const BACKSLASH = 92;
const OPEN_ARRAY = 91;
const CLOSE_ARRAY = 93;
const OPEN_OBJECT = 123;
const CLOSE_OBJECT = 125;

export const isTooManyKeys = (error: unknown): error is Error => (error as { code?: unknown } | null)?.code === CODE;

const TOO_DEEP = "TOO_DEEP";

export const isTooDeepError = (error: unknown): error is Error =>
  (error as { code?: unknown } | null)?.code === TOO_DEEP;

/** JSON that is refused for its shape, whatever else it says. */
export const isBeyondLimits = (error: unknown): error is Error => isTooManyKeys(error) || isTooDeepError(error);

export const tooDeep = (message: string): SyntaxError => Object.assign(new SyntaxError(message), { code: TOO_DEEP });

export function tooManyKeys(message: string): Error {
  return Object.assign(new Error(message), { code: CODE });
}

/**
 * Looks at a text before `JSON.parse` does: objects with very many keys take it hundreds of milliseconds.
 * @param most.inAll keys of all objects together
 * @throws Error with the code TOO_MANY_KEYS, never for a text that is no JSON
 */
export function assertFewKeys(text: string, { inOne = MAX_KEYS, inAll = Number.POSITIVE_INFINITY } = {}): void {
  if (text.length < MIN_MEMBER_CHARS * Math.min(inOne, inAll)) return;
  const open: number[] = [0];
  let all = 0;
  for (let index = 0; index < text.length; index += 1) {
    const unit = text.charCodeAt(index);
    if (unit === QUOTE) index = findStringEnd(text, index);
    else if (unit === OPEN_OBJECT || unit === OPEN_ARRAY) open.push(0);
    else if ((unit === CLOSE_OBJECT || unit === CLOSE_ARRAY) && open.length > 1) open.pop();
    else if (unit === COLON) {
      const keys = (open.pop() ?? 0) + 1;
      open.push(keys);
      all += 1;
      if (keys > inOne) throw tooManyKeys(`An object in the text has more than ${inOne} keys: split it`);
      if (all > inAll) throw tooManyKeys(`The objects in the text have more than ${inAll} keys: send it in parts`);
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
