"use client";

import { useSuspenseQuery } from "@tanstack/react-query";
import { useRouter } from "next/navigation";
import { type FormEvent, useState } from "react";
import { ModelText } from "@/app/_components/content/markdown/model-text";
import { queryState, toRunPath } from "@/app/_components/transcripts/summary/transcript-words";
import { useLiveTranscripts, useTranscriptKeys } from "@/app/_components/transcripts/summary/use-live-transcripts";
import { ConfirmAction } from "@/app/_kit/confirm-dialog";
import { useAction } from "@/app/_kit/use-action";
import { useTRPC, useTRPCClient } from "@/app/_trpc/client";
import { ActionProblem } from "@/app/_ui/action-problem";
import { Button } from "@/app/_ui/button";
import { Card } from "@/app/_ui/card";
import { Input } from "@/app/_ui/field";
import { Link } from "@/app/_ui/link";
import { onDemand } from "@/app/_ui/on-demand";
import { PageHeader } from "@/app/_ui/page-header";
import { RelativeTime } from "@/app/_ui/relative-time";
import { ShowMore } from "@/app/_ui/show-more";
import { StatusBadge } from "@/app/_ui/status-badge";
import type { TranscriptDetail, TranscriptQuery } from "@/lib/contract/transcript";
import { formatDuration, formatPlural } from "@/lib/format";
import { TranscriptBadge } from "../summary/transcript-badge";
import { TranscriptText } from "./transcript-text";

const SendSnippets = onDemand(() => import("./send-snippets").then((module) => module.SendSnippets));

/** One transcript: what was said, what was asked in it, and the answers. */
export function TranscriptView({ id }: { id: string }) {
  const trpc = useTRPC();
  const { data: transcript } = useSuspenseQuery(trpc.transcripts.get.queryOptions({ id }));
  useLiveTranscripts(id);
  const [problem, setProblem] = useState<string | null>(null);

  const open = transcript.status === "open";
  const wakePhrase = transcript.settings.wakePhrases[0] ?? "";
  return (
    <>
      <TranscriptHeader transcript={transcript} onProblem={setProblem} />
      <div className="flex flex-col gap-4 p-4">
        <ActionProblem problem={problem} onDismiss={() => setProblem(null)} />
        <div className="grid items-start gap-4 lg:grid-cols-2">
          <Card title="Transcript">
            <TranscriptText transcript={transcript} />
            {open && <AddLine id={id} report={setProblem} example={`${wakePhrase}, what is 2 + 2?`} />}
          </Card>
          <Queries transcript={transcript} />
        </div>
        {open && (
          <section aria-labelledby="sending" className="flex min-w-0 flex-col gap-2">
            <h2 id="sending" className="font-medium">
              Send text
            </h2>
            <p className="text-mute">
              Toolroom does not record audio. Another program transcribes speech and sends the text in pieces of any
              size. Answers come as server-sent events.
            </p>
            <SendSnippets id={id} wakePhrase={wakePhrase} />
          </section>
        )}
      </div>
    </>
  );
}

/** Rows put on the page at once. */
const SHOWN = 100;

function Queries({ transcript: { queries, settings } }: { transcript: TranscriptDetail }) {
  const [limit, setLimit] = useState(SHOWN);
  const numbered = queries.map((query, index) => ({ query, position: index + 1 })).reverse();
  const rest = numbered.length - limit;
  return (
    <Card
      title="Queries"
      action={
        <span role="status" className="text-mute text-xs">
          {formatPlural(queries.length, "query", "queries")}, newest first
        </span>
      }
    >
      {queries.length === 0 ? (
        <p className="px-4 py-8 text-center text-mute">
          No queries yet. A query follows a wake phrase:{" "}
          {settings.wakePhrases.map((phrase) => `“${phrase}”`).join(", ")}.
        </p>
      ) : (
        <ol className="divide-y divide-line">
          {numbered.slice(0, limit).map(({ query, position }) => (
            <QueryCard key={query.id} query={query} position={position} />
          ))}
        </ol>
      )}
      <ShowMore rest={rest} onMore={() => setLimit(limit + SHOWN)} />
    </Card>
  );
}

interface AddLineProps {
  id: string;
  /** Receives why the line was not taken; then it stays in the box. */
  report: (problem: string | null) => void;
  example: string;
}

/** By hand, to try it or to put in a word. */
function AddLine({ id, report, example }: AddLineProps) {
  const trpc = useTRPC();
  const [text, setText] = useState("");
  const [speaker, setSpeaker] = useState("");
  const { mutate, isPending } = useAction(trpc.transcripts.append.mutationOptions(), {
    stale: useTranscriptKeys(),
    failed: () => "Couldn't add the line",
    report,
    onDone: () => setText(""),
  });
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    const segment = { text: text.trim(), ...(speaker.trim() === "" ? {} : { speaker: speaker.trim() }) };
    if (segment.text !== "" && !isPending) mutate({ id, segments: [segment] });
  };
  return (
    <form onSubmit={submit} className="flex flex-wrap gap-2 border-line border-t px-4 py-3">
      <Input
        aria-label="Speaker"
        placeholder="Speaker"
        value={speaker}
        maxLength={100}
        autoComplete="off"
        className="w-28!"
        onChange={(event) => setSpeaker(event.target.value)}
      />
      <Input
        aria-label="Line"
        placeholder={example}
        value={text}
        maxLength={100_000}
        autoComplete="off"
        className="w-40! flex-1"
        onChange={(event) => setText(event.target.value)}
      />
      <Button needs="run" type="submit" size="md" disabled={text.trim() === "" || isPending}>
        Add line
      </Button>
    </form>
  );
}

interface QueryCardProps {
  query: TranscriptQuery;
  /** Counted from 1 within its transcript. */
  position: number;
}

/** Shows a query, its progress, and its answer. */
function QueryCard({ query, position }: QueryCardProps) {
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
        <StatusBadge status={state} />
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
      {state === "waiting" && (
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

interface TranscriptHeaderProps {
  transcript: TranscriptDetail;
  onProblem: (problem: string | null) => void;
}

function TranscriptHeader({ transcript, onProblem }: TranscriptHeaderProps) {
  const trpc = useTRPC();
  const client = useTRPCClient();
  const router = useRouter();
  const [deleting, setDeleting] = useState(false);
  const { id, title, status, settings, segmentCount, createdAt, closedAt } = transcript;
  const close = useAction(trpc.transcripts.close.mutationOptions(), {
    stale: useTranscriptKeys(),
    done: () => `${title} is closed`,
    failed: () => "Couldn't close the transcript",
    report: onProblem,
  });
  return (
    <>
      <PageHeader
        title={title}
        badges={<TranscriptBadge status={status} />}
        actions={
          <>
            {status === "open" && (
              <Button needs="run" onClick={() => close.mutate({ id })} disabled={close.isPending}>
                Close transcript
              </Button>
            )}
            <Button needs="edit" variant="danger" onClick={() => setDeleting(true)}>
              Delete
            </Button>
          </>
        }
      >
        <p className="flex flex-wrap gap-x-3 gap-y-1 border-line border-b px-4 pb-2.5 text-mute text-xs [overflow-wrap:anywhere]">
          <span>
            {settings.model} · {settings.provider}
          </span>
          <span>{formatPlural(segmentCount, "segment")}</span>
          <span>
            begun <RelativeTime at={createdAt} />
          </span>
          {closedAt !== null && (
            <span>
              ended <RelativeTime at={closedAt} />
            </span>
          )}
        </p>
      </PageHeader>
      {deleting && (
        <ConfirmAction
          title={`Delete ${title}?`}
          description="This deletes the text and the list of queries. The runs that answered them stay in the Playground."
          action="Delete transcript"
          running="Deleting…"
          needs="edit"
          failure="Couldn't delete the transcript"
          run={() => client.transcripts.delete.mutate({ id })}
          stale={[trpc.transcripts.list.queryKey()]}
          done={() => `${title} deleted`}
          onDone={() => router.push("/runs/transcripts")}
          onClose={() => setDeleting(false)}
        />
      )}
    </>
  );
}
