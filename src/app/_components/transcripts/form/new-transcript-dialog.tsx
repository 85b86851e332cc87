"use client";

import { useQuery } from "@tanstack/react-query";
import type { FormEvent } from "react";
import { toTranscriptPath } from "@/app/_components/transcripts/summary/transcript-words";
import { useRefreshTranscripts } from "@/app/_components/transcripts/summary/use-live-transcripts";
import { DraftField } from "@/app/_kit/draft-field";
import { sortProblems } from "@/app/_kit/problems";
import { useDraft } from "@/app/_kit/use-draft";
import { useSave } from "@/app/_kit/use-save";
import { useTRPC, useTRPCClient } from "@/app/_trpc/client";
import { AccessNotice } from "@/app/_ui/access-notice";
import { Alert } from "@/app/_ui/alert";
import { Button } from "@/app/_ui/button";
import { Dialog } from "@/app/_ui/dialog";
import type { ModelChoice } from "@/lib/contract/model";
import type { TranscriptSettingsInput } from "@/lib/contract/transcript";
import { ModelFields } from "./model-fields";
import {
  type DraftProblems,
  NEW_TRANSCRIPT,
  readDraft,
  TRANSCRIPT_FIELDS,
  type TranscriptDraft,
  type TranscriptField,
} from "./transcript-draft";

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

interface TranscriptFieldsProps {
  draft: TranscriptDraft;
  choices: readonly ModelChoice[];
  problems: DraftProblems;
  onChange: (part: Partial<TranscriptDraft>) => void;
}

function TranscriptFields({ draft, choices, problems, onChange }: TranscriptFieldsProps) {
  const fieldProps = (part: keyof TranscriptDraft, field: TranscriptField) => ({
    ...{ field, value: draft[part], problems: problems[field] ?? [] },
    onChange: (value: string) => onChange({ [part]: value }),
  });
  return (
    <>
      <DraftField label="Title" required placeholder="Standup" {...fieldProps("title", "title")} />
      <DraftField
        label="Wake phrases"
        required
        rows={2}
        hint="One per line. Case, punctuation and spaces are ignored."
        {...fieldProps("wakePhrases", "wakePhrases")}
      />
      <ModelFields choices={choices} draft={draft} problems={problems} onChange={onChange} />
      <DraftField
        label="Instructions"
        rows={3}
        hint="Context for the model: who speaks, how to answer."
        {...fieldProps("instructions", "instructions")}
      />
      <DraftField
        label="Silence that ends a query, in seconds"
        inputMode="decimal"
        {...fieldProps("silence", "silenceMs")}
      />
    </>
  );
}
