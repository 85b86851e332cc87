import { findCommonPairs } from "./common-pairs";

/** Start and end (exclusive) of a changed part, in characters of the row's text. */
export type Mark = readonly [number, number];

/** For longer texts only the common start and end are found. */
const MAX_WORDWISE_CHARS = 20_000;
const MAX_WORD_EDITS = 1_000;
/** Below this common share, the whole text is marked. */
const LEAST_COMMON_SHARE = 0.2;

const WORD = /\\u[0-9a-fA-F]{4}|\\.|[\p{L}\p{N}_]+|\s+|./gsu;

/** Differences of two texts, word by word. */
export function markChanges(left: string, right: string): { left: Mark[]; right: Mark[] } {
  if (left.length + right.length > MAX_WORDWISE_CHARS) return markMiddle(left, right);
  const leftWords = left.match(WORD) ?? [];
  const rightWords = right.match(WORD) ?? [];
  const common = findCommonPairs(leftWords, rightWords, MAX_WORD_EDITS);
  if (!common) return markMiddle(left, right);
  const commonChars = common.reduce((sum, pair) => sum + (leftWords[pair.left]?.length ?? 0), 0);
  if (commonChars < LEAST_COMMON_SHARE * Math.max(left.length, right.length)) return markMiddle(left, right);
  return {
    left: buildMarks(leftWords, new Set(common.map((pair) => pair.left))),
    right: buildMarks(rightWords, new Set(common.map((pair) => pair.right))),
  };
}

function buildMarks(words: readonly string[], kept: ReadonlySet<number>): Mark[] {
  const marks: [number, number][] = [];
  let at = 0;
  words.forEach((word, index) => {
    const end = at + word.length;
    if (!kept.has(index)) {
      const last = marks.at(-1);
      if (last && last[1] === at) last[1] = end;
      else marks.push([at, end]);
    }
    at = end;
  });
  return marks;
}

function markMiddle(left: string, right: string): { left: Mark[]; right: Mark[] } {
  const shorter = Math.min(left.length, right.length);
  let start = 0;
  while (start < shorter && left.charCodeAt(start) === right.charCodeAt(start)) start += 1;
  let tail = 0;
  while (
    tail < shorter - start &&
    left.charCodeAt(left.length - 1 - tail) === right.charCodeAt(right.length - 1 - tail)
  ) {
    tail += 1;
  }
  // The boundary must not be inside a surrogate pair.
  if (start > 0 && isHighSurrogate(left.charCodeAt(start - 1))) start -= 1;
  if (tail > 0 && isLowSurrogate(left.charCodeAt(left.length - tail))) tail -= 1;
  const middle = (text: string): Mark[] => (start < text.length - tail ? [[start, text.length - tail]] : []);
  return { left: middle(left), right: middle(right) };
}

const isHighSurrogate = (code: number): boolean => code >= 0xd800 && code <= 0xdbff;

const isLowSurrogate = (code: number): boolean => code >= 0xdc00 && code <= 0xdfff;
