"use client";

import { useSuspenseQuery } from "@tanstack/react-query";
import { parseAsString, useQueryState } from "nuqs";
import { TranscriptBadge } from "@/app/_components/transcripts/summary/state-pill";
import { toTranscriptPath } from "@/app/_components/transcripts/summary/transcript-words";
import { useLiveTranscripts } from "@/app/_components/transcripts/summary/use-live-transcripts";
import type { Column } from "@/app/_kit/data-table";
import { ResourceList } from "@/app/_kit/list/resource-list";
import { useTRPC } from "@/app/_trpc/client";
import { Button } from "@/app/_ui/button";
import { EmptyState } from "@/app/_ui/empty-state";
import { Link } from "@/app/_ui/link";
import { onDemand } from "@/app/_ui/on-demand";
import { RelativeTime } from "@/app/_ui/relative-time";
import type { TranscriptSummary } from "@/lib/contract/transcript";
import { formatCount, formatPlural } from "@/lib/format";

const NewTranscriptDialog = onDemand(() =>
  import("@/app/_components/transcripts/form/new-transcript-dialog").then((module) => module.NewTranscriptDialog),
);

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

export function TranscriptsView() {
  const trpc = useTRPC();
  const { data } = useSuspenseQuery(trpc.transcripts.list.queryOptions());
  useLiveTranscripts(null);
  const [making, setMaking] = useQueryState("new", parseAsString);
  const listening = data.items.filter(({ status }) => status === "open").length;
  const empty = (
    <EmptyState
      heading="h2"
      title="No transcripts yet"
      action={
        <Button needs="run" variant="primary" onClick={() => void setMaking("1")}>
          New transcript
        </Button>
      }
    >
      Send speech as text, line by line. Questions after a wake phrase are answered in the background with the tools of
      the catalog. Toolroom does not record audio.
    </EmptyState>
  );
  return (
    <>
      <ResourceList
        label="Transcripts, newest first"
        look="catalog"
        columns={COLUMNS}
        toKey={({ id }) => id}
        empty={empty}
        rows={data.items}
        status={`${formatPlural(data.items.length, "transcript")}${listening > 0 ? ` · ${listening} listening` : ""}`}
        step={STEP}
      />
      {making !== null && <NewTranscriptDialog onClose={() => void setMaking(null)} />}
    </>
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
