"use client";

import { useMutation, useQuery } from "@tanstack/react-query";
import { useRouter } from "next/navigation";
import { type FormEvent, useState } from "react";
import { useTRPC } from "@/app/_trpc/client";
import { Alert } from "@/app/_ui/alert";
import { Button } from "@/app/_ui/button";
import { Dialog } from "@/app/_ui/dialog";
import { useToast } from "@/app/_ui/toast";
import {
  type DraftProblems,
  NEW_TRANSCRIPT,
  problemsByField,
  readDraft,
  type TranscriptDraft,
} from "./transcript-draft";
import { TranscriptFields } from "./transcript-fields";
import { transcriptPath } from "./transcript-words";
import { useRefreshTranscripts } from "./use-live-transcripts";

/** Makes a transcript; afterwards its page opens, which says how to send what is said. */
export function NewTranscriptDialog({ onClose }: { onClose: () => void }) {
  const trpc = useTRPC();
  const router = useRouter();
  const toast = useToast();
  const refresh = useRefreshTranscripts();
  const choices = useQuery(trpc.models.choices.queryOptions());
  const [typed, setDraft] = useState(NEW_TRANSCRIPT);
  const [problems, setProblems] = useState<DraftProblems>({});
  const create = useMutation(
    trpc.transcripts.create.mutationOptions({
      onSuccess: ({ id, title }) => {
        void refresh();
        toast({ title: `${title} is listening`, tone: "ok" });
        router.push(transcriptPath(id));
      },
      onError: (error) => setProblems(problemsByField(error.message, error.data?.problems ?? [])),
    }),
  );
  const first = choices.data?.items[0];
  const draft =
    typed.provider === "" && typed.model === "" && first !== undefined
      ? { ...typed, provider: first.provider, model: first.model }
      : typed;

  const change = (part: Partial<TranscriptDraft>): void => setDraft({ ...draft, ...part });
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    const read = readDraft(draft);
    setProblems("problems" in read ? read.problems : {});
    if ("settings" in read) create.mutate({ settings: read.settings });
  };
  return (
    <Dialog
      open
      onOpenChange={(open) => !open && onClose()}
      title="New transcript"
      description="No audio is recorded or read: something else writes down what is said, and sends it here as text."
    >
      <form onSubmit={submit} noValidate className="flex flex-col gap-4">
        <TranscriptFields draft={draft} choices={choices.data?.items ?? []} problems={problems} onChange={change} />
        {problems[""] !== undefined && (
          <Alert live tone="bad" title="The transcript could not be made">
            <p>{problems[""].join("; ")}</p>
          </Alert>
        )}
        <div className="flex justify-end gap-2">
          <Button size="md" onClick={onClose}>
            Cancel
          </Button>
          <Button size="md" variant="primary" type="submit" disabled={create.isPending || create.isSuccess}>
            {create.isPending ? "Making it…" : "Start listening"}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
