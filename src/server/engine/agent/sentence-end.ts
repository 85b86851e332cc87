/** A run of marks that may end a sentence. Offsets into the text. */
export interface EndMarks {
  from: number;
  /** The index after the marks, and after quotes and brackets that close behind them. */
  to: number;
}

const MARK = /[.?!…。．？！]/u;
/** These need no space behind them. */
const WIDE_MARK = /[。？！]/u;
const STRONG = /[?!。？！]/u;
const CLOSER = /["'”’»)\]}」』）]/u;
const LAST_WORD = /[\p{L}\p{N}\p{M}.]+$/u;
/** Matches initials such as `J.`, `e.g.`, `p.m.`, `U.S.` */
const INITIALS = /^(?:\p{L}\.)*\p{L}$/u;
const ABBREVIATIONS = new Set(
  "mr mrs ms dr prof sr jr st vs etc approx dept inc ltd vol fig al cf ca bzw usw evtl ggf inkl".split(" "),
);

export const isEndMark = (char: string): boolean => MARK.test(char);
export const isWideEndMark = (char: string): boolean => WIDE_MARK.test(char);
export const isCloser = (char: string): boolean => CLOSER.test(char);
export const isSpace = (char: string): boolean => /\s/u.test(char);

/** Whether a sentence ends with these marks, given that a space follows. Not after `e.g.`, `Dr.`, `J.` and not with `…`. */
export function endsSentence(text: string, marks: EndMarks): boolean {
  const run = text.slice(marks.from, marks.to);
  if (STRONG.test(run)) return true;
  if (run.includes("…") || (run.match(/[.．]/gu)?.length ?? 0) > 1) return false;
  // A longer word does not count as an abbreviation.
  const word = LAST_WORD.exec(text.slice(Math.max(0, marks.from - 40), marks.from))?.[0] ?? "";
  return !INITIALS.test(word) && !ABBREVIATIONS.has(word.toLowerCase());
}
