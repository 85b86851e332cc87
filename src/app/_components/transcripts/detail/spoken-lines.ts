import type { TranscriptQuery, TranscriptSegment } from "@/lib/contract/transcript";

export interface SpokenPart {
  seq: number;
  text: string;
  /** Which query it belongs to, counted from 1; null for none. */
  query: number | null;
  /** Its query begins here. */
  first: boolean;
}

/** What one person said in one go. */
export interface SpokenLine {
  speaker: string | null;
  atMs: number | null;
  receivedAt: number;
  parts: SpokenPart[];
}

/** More segments than this are shown as a line of their own again. */
const MAX_PARTS = 40;
const PAUSE_MS = 20_000;

/** Segments as lines, with those marked in which a query was heard. Both oldest first. */
export function groupSpokenLines(
  segments: readonly TranscriptSegment[],
  queries: readonly TranscriptQuery[],
): SpokenLine[] {
  const lines: SpokenLine[] = [];
  let last: TranscriptSegment | null = null;
  for (const segment of segments) {
    const { seq, text, speaker, atMs, receivedAt } = segment;
    if (text.trim() === "") continue;
    const at = queries.findIndex(({ fromSeq, toSeq }) => fromSeq <= seq && seq <= toSeq);
    const part = { seq, text, query: at < 0 ? null : at + 1, first: queries[at]?.fromSeq === seq };
    const line = lines.at(-1);
    const goesOn =
      last !== null &&
      line !== undefined &&
      speaker === last.speaker &&
      receivedAt - last.receivedAt < PAUSE_MS &&
      line.parts.length < MAX_PARTS &&
      isPiece(last.text, text);
    if (goesOn) line.parts.push(part);
    else lines.push({ speaker, atMs, receivedAt, parts: [part] });
    last = segment;
  }
  return lines;
}

/** Pieces of speech bring their own spaces; whole utterances are lines of their own. */
function isPiece(before: string, text: string): boolean {
  return /\s$/u.test(before) || /^\s/u.test(text) || (!/\s/u.test(text.trim()) && !/[.?!…]$/u.test(before));
}

/** Between two parts of a line. */
export function spaceBetween(before: string, text: string): "" | " " {
  return /\s$/u.test(before) || /^\s/u.test(text) ? "" : " ";
}
