import { ModelText } from "@/app/_components/content/markdown/model-text";
import { StatePill } from "@/app/_components/transcripts/summary/state-pill";
import { queryState, toRunPath } from "@/app/_components/transcripts/summary/transcript-words";
import { Link } from "@/app/_ui/link";
import { RelativeTime } from "@/app/_ui/relative-time";
import type { TranscriptQuery } from "@/lib/contract/transcript";
import { formatDuration } from "@/lib/format";

export interface QueryCardProps {
  query: TranscriptQuery;
  /** Counted from 1 within its transcript. */
  position: number;
}

/** What was asked, how far its answer is, and the answer. */
export function QueryCard({ query, position }: QueryCardProps) {
  const state = queryState(query);
  const { text, speaker, fromSeq, askedAt, answeredAt, answer, error, runId } = query;
  return (
    <li
      id={`query-${position}`}
      aria-label={`Query ${position}`}
      className="flex scroll-mt-4 flex-col gap-2 px-4 py-3 target:bg-accent-bg"
    >
      <div className="flex flex-wrap items-center gap-x-2 gap-y-1 text-mute text-xs">
        <a href={`#segment-${fromSeq}`} className="rounded-xs font-mono underline hover:text-text">
          {position}
        </a>
        <StatePill {...state} />
        {speaker !== null && <span className="[overflow-wrap:anywhere]">{speaker}</span>}
        <RelativeTime at={askedAt} />
        {answer !== null && answeredAt !== null && <span>answered in {formatDuration(answeredAt - askedAt)}</span>}
        {runId !== null && (
          <Link href={toRunPath(runId)} className="ml-auto rounded-xs underline hover:text-text">
            Run<span className="sr-only"> of query {position}</span>
          </Link>
        )}
      </div>
      <p dir="auto" className="font-medium [overflow-wrap:anywhere]">
        {text}
      </p>
      {answer !== null && answer !== "" && <ModelText text={answer} />}
      {answer === "" && <p className="text-mute">The model returned an empty response.</p>}
      {state.shown === "waiting" && (
        <p className="text-mute">
          A tool call needs approval: open its run or{" "}
          <Link href="/approvals" className="rounded-xs underline hover:text-text">
            all approvals
          </Link>
          .
        </p>
      )}
      {answer === null && error !== null && (
        <p dir="auto" className="text-bad [overflow-wrap:anywhere]">
          {error}
        </p>
      )}
    </li>
  );
}
