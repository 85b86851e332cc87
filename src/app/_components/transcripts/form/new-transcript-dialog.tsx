"use client";

import { useQuery } from "@tanstack/react-query";
import type { FormEvent } from "react";
import { toTranscriptPath } from "@/app/_components/transcripts/summary/transcript-words";
import { useRefreshTranscripts } from "@/app/_components/transcripts/summary/use-live-transcripts";
import { sortProblems } from "@/app/_kit/problems";
import { useDraft } from "@/app/_kit/use-draft";
import { useSave } from "@/app/_kit/use-save";
import { useTRPC, useTRPCClient } from "@/app/_trpc/client";
import { AccessNotice } from "@/app/_ui/access-notice";
import { Alert } from "@/app/_ui/alert";
import { Button } from "@/app/_ui/button";
import { Dialog } from "@/app/_ui/dialog";
import type { TranscriptSettingsInput } from "@/lib/contract/transcript";
import { NEW_TRANSCRIPT, readDraft, TRANSCRIPT_FIELDS } from "./transcript-draft";
import { TranscriptFields } from "./transcript-fields";

/** Makes a transcript; afterwards its page opens, which says how to send what is said. */
export function NewTranscriptDialog({ onClose }: { onClose: () => void }) {
  const trpc = useTRPC();
  const client = useTRPCClient();
  const refresh = useRefreshTranscripts();
  const choices = useQuery(trpc.models.choices.queryOptions());
  const { draft: typed, change } = useDraft(() => NEW_TRANSCRIPT);
  const {
    save,
    pending,
    problems: found,
  } = useSave({
    send: (settings: TranscriptSettingsInput) => client.transcripts.create.mutate({ settings }),
    onSaved: () => void refresh(),
    toast: ({ title }) => `${title} is listening`,
    openPath: ({ id }) => toTranscriptPath(id),
  });
  const problems = sortProblems(found, TRANSCRIPT_FIELDS, "settings");
  const first = choices.data?.items[0];
  const draft =
    typed.provider === "" && typed.model === "" && first !== undefined
      ? { ...typed, provider: first.provider, model: first.model }
      : typed;
  // Before the models are known, none is chosen.
  const waiting = pending || choices.isPending;
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (!waiting) save(readDraft(draft));
  };
  return (
    <Dialog
      open
      onOpenChange={(open) => !open && onClose()}
      title="New transcript"
      description="Toolroom does not record audio. Another program transcribes speech and sends the text here."
    >
      <form onSubmit={submit} noValidate className="flex flex-col gap-4">
        <AccessNotice needs="run" />
        <TranscriptFields
          draft={draft}
          choices={choices.data?.items ?? []}
          problems={problems}
          onChange={(part) => change({ ...draft, ...part })}
        />
        {problems[""] !== undefined && (
          <Alert live tone="bad" title="Couldn't create the transcript">
            <p>{problems[""].join("; ")}</p>
          </Alert>
        )}
        <div className="flex justify-end gap-2">
          <Button size="md" onClick={onClose}>
            Cancel
          </Button>
          <Button needs="run" size="md" variant="primary" type="submit" disabled={waiting}>
            {pending ? "Creating…" : "Create transcript"}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
