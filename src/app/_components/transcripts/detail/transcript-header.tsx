"use client";

import { useMutation } from "@tanstack/react-query";
import { useRouter } from "next/navigation";
import { useState } from "react";
import { TranscriptBadge } from "@/app/_components/transcripts/summary/state-pill";
import { useRefreshTranscripts } from "@/app/_components/transcripts/summary/use-live-transcripts";
import { ConfirmDialog } from "@/app/_kit/confirm-dialog";
import { useTRPC } from "@/app/_trpc/client";
import { Button } from "@/app/_ui/button";
import { PageHeader } from "@/app/_ui/page-header";
import { RelativeTime } from "@/app/_ui/relative-time";
import { useToast } from "@/app/_ui/toast";
import type { TranscriptDetail } from "@/lib/contract/transcript";
import { formatPlural } from "@/lib/format";

export interface TranscriptHeaderProps {
  transcript: TranscriptDetail;
  onProblem: (problem: string | null) => void;
}

export function TranscriptHeader({ transcript, onProblem }: TranscriptHeaderProps) {
  const trpc = useTRPC();
  const router = useRouter();
  const toast = useToast();
  const refresh = useRefreshTranscripts();
  const [deleting, setDeleting] = useState(false);
  const { id, title, status, settings, segmentCount, createdAt, closedAt } = transcript;
  const close = useMutation(
    trpc.transcripts.close.mutationOptions({
      onSuccess: () => toast({ title: `${title} is closed` }),
      onError: (error) => onProblem(`Couldn't close the transcript: ${error.message}`),
      onSettled: refresh,
    }),
  );
  const remove = useMutation(
    trpc.transcripts.delete.mutationOptions({
      onSuccess: () => {
        toast({ title: `${title} deleted` });
        router.push("/runs/transcripts");
      },
    }),
  );
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
        <ConfirmDialog
          title={`Delete ${title}?`}
          description="This deletes the text and the list of queries. The runs that answered them stay in Runs."
          action="Delete transcript"
          running="Deleting…"
          needs="edit"
          isPending={remove.isPending || remove.isSuccess}
          failure="Couldn't delete the transcript"
          error={remove.error}
          onConfirm={() => remove.mutate({ id })}
          onClose={() => setDeleting(false)}
        />
      )}
    </>
  );
}
