"use client";

import { TranscriptBadge } from "@/app/_components/transcripts/summary/state-pill";
import { toTranscriptPath } from "@/app/_components/transcripts/summary/transcript-words";
import { type Column, DataTable } from "@/app/_kit/data-table";
import { Link } from "@/app/_ui/link";
import { RelativeTime } from "@/app/_ui/relative-time";
import type { TranscriptSummary } from "@/lib/contract/transcript";
import { formatCount, formatPlural } from "@/lib/format";

/** Rows rendered at once. */
const STEP = 100;

const WIDE = "max-md:hidden";
const FIGURE = "font-mono text-xs leading-5 tabular-nums";

const COLUMNS: readonly Column<TranscriptSummary>[] = [
  { head: "Status", className: `${WIDE} pl-4`, render: ({ status }) => <TranscriptBadge status={status} /> },
  {
    head: "Title",
    cellClass: "w-full max-w-0 max-md:px-4",
    render: (transcript) => <TranscriptTitle transcript={transcript} />,
  },
  {
    head: "Segments",
    className: `${WIDE} text-right`,
    cellClass: FIGURE,
    render: ({ segmentCount }) => formatCount(segmentCount),
  },
  {
    head: "Queries",
    className: `${WIDE} pr-6 text-right`,
    cellClass: FIGURE,
    render: ({ queryCount }) => formatCount(queryCount),
  },
  {
    head: "Started",
    newestFirst: true,
    className: `${WIDE} pr-4`,
    cellClass: "whitespace-nowrap text-mute text-xs leading-5",
    render: ({ createdAt }) => <RelativeTime at={createdAt} clock />,
  },
];

export function TranscriptTable({ transcripts }: { transcripts: readonly TranscriptSummary[] }) {
  return (
    <DataTable
      label="Transcripts, newest first"
      look="catalogue"
      columns={COLUMNS}
      rows={transcripts}
      keyOf={({ id }) => id}
      step={STEP}
    />
  );
}

/** On a narrow screen it carries what the hidden columns say. */
function TranscriptTitle({ transcript }: { transcript: TranscriptSummary }) {
  const { id, title, status, segmentCount, queryCount, createdAt } = transcript;
  return (
    <>
      <Link
        href={toTranscriptPath(id)}
        data-row=""
        dir="auto"
        className="block truncate rounded-xs font-medium hover:underline max-md:whitespace-normal max-md:[overflow-wrap:anywhere]"
      >
        {title}
      </Link>
      <p className="mt-1 flex flex-wrap items-center gap-x-2 gap-y-1 text-mute text-xs md:hidden">
        <TranscriptBadge status={status} />
        <span>{formatPlural(segmentCount, "segment")}</span>
        <span>{formatPlural(queryCount, "query", "queries")}</span>
        <RelativeTime at={createdAt} />
      </p>
    </>
  );
}
