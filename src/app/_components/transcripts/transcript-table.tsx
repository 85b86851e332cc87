"use client";

import Link from "next/link";
import { useState } from "react";
import { RelativeTime } from "@/app/_ui/relative-time";
import { ShowMore } from "@/app/_ui/show-more";
import type { TranscriptSummary } from "@/lib/contract/transcript";
import { formatCount, formatPlural } from "@/lib/format";
import { TranscriptBadge } from "./state-pill";
import { SOURCE_WORDS, transcriptPath } from "./transcript-words";

/** Rows put on the page at once. */
const STEP = 100;

export function TranscriptTable({ transcripts }: { transcripts: readonly TranscriptSummary[] }) {
  const [limit, setLimit] = useState(STEP);
  return (
    <>
      <table className="mt-1.5 w-full border-collapse bg-panel text-left text-sm">
        <caption className="sr-only">Transcripts, newest first</caption>
        <thead>
          <tr className="border-line border-y text-mute text-xs max-md:sr-only">
            <th scope="col" className="py-1.5 pr-3 pl-4 font-medium max-md:hidden">
              State
            </th>
            <th scope="col" className="py-1.5 pr-3 font-medium">
              Title
            </th>
            <th scope="col" className="py-1.5 pr-3 font-medium max-md:hidden">
              Source
            </th>
            <th scope="col" className="py-1.5 pr-3 text-right font-medium max-md:hidden">
              Segments
            </th>
            <th scope="col" className="py-1.5 pr-6 text-right font-medium max-md:hidden">
              Queries
            </th>
            <th scope="col" className="py-1.5 pr-4 font-medium max-md:hidden">
              Begun
            </th>
          </tr>
        </thead>
        <tbody>
          {transcripts.slice(0, limit).map((transcript) => (
            <TranscriptRow key={transcript.id} transcript={transcript} />
          ))}
        </tbody>
      </table>
      <ShowMore rest={transcripts.length - limit} onMore={() => setLimit(limit + STEP)} />
    </>
  );
}

/** On a narrow screen the title's cell carries what the dropped columns would have said. */
function TranscriptRow({ transcript }: { transcript: TranscriptSummary }) {
  const { id, title, status, error, sourceKind, segmentCount, queryCount, createdAt } = transcript;
  return (
    <tr className="border-line border-b hover:bg-rail has-[[data-row]:focus]:bg-accent-bg">
      <td className="py-1.5 pr-3 pl-4 align-top max-md:hidden">
        <TranscriptBadge status={status} />
      </td>
      <td className="w-full max-w-0 py-1.5 pr-3 align-top max-md:px-4">
        <Link
          href={transcriptPath(id)}
          data-row=""
          className="block truncate rounded-xs font-medium hover:underline max-md:whitespace-normal max-md:[overflow-wrap:anywhere]"
        >
          {title}
        </Link>
        {error !== null && <p className="text-warn text-xs [overflow-wrap:anywhere]">{error}</p>}
        <p className="mt-1 flex flex-wrap items-center gap-x-2 gap-y-1 text-mute text-xs md:hidden">
          <TranscriptBadge status={status} />
          <span>{formatPlural(segmentCount, "segment")}</span>
          <span>{formatPlural(queryCount, "query", "queries")}</span>
          <RelativeTime at={createdAt} />
        </p>
      </td>
      <td className="whitespace-nowrap py-1.5 pr-3 align-top text-mute text-xs leading-5 max-md:hidden">
        {SOURCE_WORDS[sourceKind]}
      </td>
      <td className="py-1.5 pr-3 text-right align-top font-mono text-xs leading-5 tabular-nums max-md:hidden">
        {formatCount(segmentCount)}
      </td>
      <td className="py-1.5 pr-6 text-right align-top font-mono text-xs leading-5 tabular-nums max-md:hidden">
        {formatCount(queryCount)}
      </td>
      <td className="whitespace-nowrap py-1.5 pr-4 align-top text-mute text-xs leading-5 max-md:hidden">
        <RelativeTime at={createdAt} />
      </td>
    </tr>
  );
}
