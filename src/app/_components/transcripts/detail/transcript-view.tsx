"use client";

import { useMutation, useSuspenseQuery } from "@tanstack/react-query";
import dynamic from "next/dynamic";
import { useState } from "react";
import { useLiveTranscripts, useRefreshTranscripts } from "@/app/_components/transcripts/summary/use-live-transcripts";
import { useTRPC } from "@/app/_trpc/client";
import { ActionProblem } from "@/app/_ui/action-problem";
import { ShowMore } from "@/app/_ui/show-more";
import type { TranscriptDetail, TranscriptSegmentInput } from "@/lib/contract/transcript";
import { formatPlural } from "@/lib/format";
import { AddLine } from "./add-line";
import { QueryCard } from "./query-card";
import { TranscriptHeader } from "./transcript-header";
import { TranscriptText } from "./transcript-text";

const SendSnippets = dynamic(() => import("./send-snippets").then((module) => module.SendSnippets), { ssr: false });

/** One transcript: what was said, what was asked in it, and the answers. */
export function TranscriptView({ id }: { id: string }) {
  const trpc = useTRPC();
  const { data: transcript } = useSuspenseQuery(trpc.transcripts.get.queryOptions({ id }));
  useLiveTranscripts(id);
  const refresh = useRefreshTranscripts();
  const [problem, setProblem] = useState<string | null>(null);
  const append = useMutation(trpc.transcripts.append.mutationOptions({ onSettled: refresh }));

  async function add(segment: TranscriptSegmentInput): Promise<boolean> {
    try {
      await append.mutateAsync({ id, segments: [segment] });
      setProblem(null);
      return true;
    } catch (error) {
      setProblem(`Couldn't add the line: ${error instanceof Error ? error.message : String(error)}`);
      return false;
    }
  }

  const open = transcript.status === "open";
  const wakePhrase = transcript.settings.wakePhrases[0] ?? "";
  return (
    <>
      <TranscriptHeader transcript={transcript} onProblem={setProblem} />
      <div className="flex flex-col gap-4 p-4">
        <ActionProblem problem={problem} onDismiss={() => setProblem(null)} />
        <div className="grid items-start gap-4 lg:grid-cols-2">
          <section aria-labelledby="said" className="min-w-0 rounded-lg border border-line bg-panel">
            <h2 id="said" className="border-line border-b px-4 py-2 font-medium">
              Transcript
            </h2>
            <TranscriptText transcript={transcript} />
            {open && <AddLine onAdd={add} example={`${wakePhrase}, what is 2 + 2?`} />}
          </section>
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
    <section aria-labelledby="requested" className="min-w-0 rounded-lg border border-line bg-panel">
      <h2 id="requested" className="flex items-baseline gap-2 border-line border-b px-4 py-2 font-medium">
        Queries
        <span role="status" className="font-normal text-mute text-xs">
          {formatPlural(queries.length, "query", "queries")}, newest first
        </span>
      </h2>
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
    </section>
  );
}
