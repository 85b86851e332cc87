import { formatClockTime } from "@/app/_components/transcripts/summary/transcript-words";
import { cx } from "@/app/_ui/class-names";
import { RelativeTime } from "@/app/_ui/relative-time";
import { ScrollRegion } from "@/app/_ui/scroll-region";
import type { TranscriptDetail } from "@/lib/contract/transcript";
import { formatCount } from "@/lib/format";
import { groupSpokenLines, type SpokenLine, spaceBetween } from "./spoken-lines";

/** What was said, queries marked; the end in sight, as a conversation is read. */
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
