import { formatClockTime } from "@/app/_components/transcripts/summary/transcript-words";
import { cx } from "@/app/_ui/class-names";
import { RelativeTime } from "@/app/_ui/relative-time";
import { ScrollRegion } from "@/app/_ui/scroll-region";
import type { TranscriptDetail, TranscriptQuery, TranscriptSegment } from "@/lib/contract/transcript";
import { formatCount } from "@/lib/format";

/** Shows the transcript with queries marked, scrolled to its end. */
export function TranscriptText({ transcript }: { transcript: TranscriptDetail }) {
  const { segments, queries, segmentCount, status, settings } = transcript;
  const lines = groupSpokenLines(segments, queries);
  if (lines.length === 0) {
    return (
      <p className="px-4 py-8 text-center text-mute">
        {status === "open" ? (
          <>
            No text yet. Start with “<span className="font-medium">{settings.wakePhrases[0]}</span>, …”
          </>
        ) : (
          "No text."
        )}
      </p>
    );
  }
  return (
    // Reversed, so that the end stays in sight as lines come.
    <ScrollRegion label="Transcript" className="flex max-h-[65dvh] flex-col-reverse">
      <div>
        {segmentCount > segments.length && (
          <p className="px-4 pt-2 text-mute text-xs">
            The newest {formatCount(segments.length)} of {formatCount(segmentCount)} segments.
          </p>
        )}
        <ol aria-label="Transcript text" className="flex flex-col gap-2 px-4 py-3">
          {lines.map((line) => (
            <Line key={line.parts[0]?.seq} line={line} />
          ))}
        </ol>
      </div>
    </ScrollRegion>
  );
}

function Line({ line }: { line: SpokenLine }) {
  const { speaker, atMs, receivedAt, parts } = line;
  return (
    <li className="grid grid-cols-[4.5rem_1fr] gap-x-3">
      <span className="pt-0.5 text-right font-mono text-2xs text-faint tabular-nums">
        {atMs === null ? <RelativeTime at={receivedAt} /> : formatClockTime(atMs)}
      </span>
      <span className="min-w-0 whitespace-pre-wrap [overflow-wrap:anywhere]">
        {speaker !== null && <span className="font-medium">{speaker}: </span>}
        {parts.map(({ seq, text, query, first }, index) => (
          <span key={seq} id={`segment-${seq}`} className="scroll-mt-4">
            {spaceBetween(parts[index - 1]?.text ?? " ", text)}
            {query === null ? text : <Marked text={text} query={query} first={first} />}
          </span>
        ))}
      </span>
    </li>
  );
}

function Marked({ text, query, first }: { text: string; query: number; first: boolean }) {
  return (
    <>
      {first && (
        <a
          href={`#query-${query}`}
          className="mr-1 rounded-sm bg-accent-bg px-1 font-mono text-2xs text-accent underline"
          aria-label={`Query ${query}`}
        >
          {query}
        </a>
      )}
      <mark className={cx("rounded-xs bg-accent-bg text-text")}>{text}</mark>
    </>
  );
}

interface SpokenPart {
  seq: number;
  text: string;
  /** The query that the line belongs to, counted from 1; null for none. */
  query: number | null;
  /** Its query begins here. */
  first: boolean;
}

/** Consecutive speech of one person. */
interface SpokenLine {
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
function spaceBetween(before: string, text: string): "" | " " {
  return /\s$/u.test(before) || /^\s/u.test(text) ? "" : " ";
}
