"use client";

import { useQuery } from "@tanstack/react-query";
import { toTranscriptPath } from "@/app/_components/transcripts/summary/transcript-words";
import { useRefreshTranscripts } from "@/app/_components/transcripts/summary/use-live-transcripts";
import { readInput } from "@/app/_kit/form/draft-input";
import { Field } from "@/app/_kit/form/field";
import { DialogForm } from "@/app/_kit/form/form-page";
import { useForm } from "@/app/_kit/form/use-form";
import { useDraft } from "@/app/_kit/use-draft";
import { useSave } from "@/app/_kit/use-save";
import { useTRPC, useTRPCClient } from "@/app/_trpc/client";
import type { TranscriptSettingsInput } from "@/lib/contract/transcript";
import { ModelFields } from "./model-fields";
import { NEW_TRANSCRIPT, TRANSCRIPT_FORM } from "./transcript-fields";

/** Makes a transcript; afterwards its page opens, which says how to send what is said. */
export function NewTranscriptDialog({ onClose }: { onClose: () => void }) {
  const trpc = useTRPC();
  const client = useTRPCClient();
  const refresh = useRefreshTranscripts();
  const choices = useQuery(trpc.models.choices.queryOptions());
  const held = useDraft(() => readInput(TRANSCRIPT_FORM, NEW_TRANSCRIPT));
  const saving = useSave({
    send: (settings: TranscriptSettingsInput) => client.transcripts.create.mutate({ settings }),
    onSaved: () => void refresh(),
    toast: ({ title }) => `${title} is listening`,
    openPath: ({ id }) => toTranscriptPath(id),
  });
  const first = choices.data?.items[0];
  const isUnchosen = held.draft.provider === "" && held.draft.model === "";
  const draft =
    isUnchosen && first !== undefined ? { ...held.draft, provider: first.provider, model: first.model } : held.draft;
  const form = useForm(TRANSCRIPT_FORM, {
    held: { ...held, draft, change: (part) => held.change({ ...draft, ...part }) },
    ...{ saving, root: "settings", guarded: false },
  });
  return (
    <DialogForm
      title="New transcript"
      description="Toolroom does not record audio. Another program transcribes speech and sends the text here."
      form={form}
      needs="run"
      submitLabel="Create transcript"
      pendingLabel="Creating…"
      failure="Couldn't create the transcript"
      // Before the models are known, none is chosen.
      waiting={choices.isPending}
      onClose={onClose}
    >
      <Field form={form} at="title" />
      <Field form={form} at="wakePhrases" />
      <ModelFields choices={choices.data?.items ?? []} form={form} />
      <Field form={form} at="instructions" />
      <Field form={form} at="silenceMs" />
    </DialogForm>
  );
}
