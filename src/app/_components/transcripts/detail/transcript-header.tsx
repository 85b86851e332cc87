"use client";

import { useRouter } from "next/navigation";
import { useState } from "react";
import { TranscriptBadge } from "@/app/_components/transcripts/summary/transcript-badge";
import { useTranscriptKeys } from "@/app/_components/transcripts/summary/use-live-transcripts";
import { ConfirmAction } from "@/app/_kit/confirm-dialog";
import { useAction } from "@/app/_kit/use-action";
import { useTRPC, useTRPCClient } from "@/app/_trpc/client";
import { Button } from "@/app/_ui/button";
import { PageHeader } from "@/app/_ui/page-header";
import { RelativeTime } from "@/app/_ui/relative-time";
import type { TranscriptDetail } from "@/lib/contract/transcript";
import { formatPlural } from "@/lib/format";

export interface TranscriptHeaderProps {
  transcript: TranscriptDetail;
  onProblem: (problem: string | null) => void;
}

export function TranscriptHeader({ transcript, onProblem }: TranscriptHeaderProps) {
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
