"use client";

import { useQuery } from "@tanstack/react-query";
import { useId, useState } from "react";
import { toTranscriptPath } from "@/app/_components/transcripts/summary/transcript-words";
import { useRefreshTranscripts } from "@/app/_components/transcripts/summary/use-live-transcripts";
import { readInput } from "@/app/_kit/form/draft-input";
import { Field } from "@/app/_kit/form/field";
import type { DraftOf } from "@/app/_kit/form/fields";
import { DialogForm } from "@/app/_kit/form/form-page";
import { type FormState, useForm } from "@/app/_kit/form/use-form";
import { describedBy, FormField } from "@/app/_kit/form-field";
import { useDraft } from "@/app/_kit/use-draft";
import { useSave } from "@/app/_kit/use-save";
import { useTRPC, useTRPCClient } from "@/app/_trpc/client";
import { NativeSelect } from "@/app/_ui/field";
import type { ModelChoice } from "@/lib/contract/model";
import type { TranscriptSettingsInput } from "@/lib/contract/transcript";
import { NEW_TRANSCRIPT, TRANSCRIPT_FORM } from "./transcript-fields";

const OTHER = "other";

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
    saving,
    root: "settings",
    guarded: false,
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

interface ModelFieldsProps {
  choices: readonly ModelChoice[];
  form: FormState<DraftOf<typeof TRANSCRIPT_FORM.fields>>;
}

/** One of the models that are set up, or any other by its names. */
function ModelFields({ choices, form }: ModelFieldsProps) {
  const { draft, change, findProblems } = form;
  const id = useId();
  const [other, setOther] = useState(false);
  const at = choices.findIndex(({ provider, model }) => provider === draft.provider && model === draft.model);
  const typed = other || choices.length === 0;
  const faults = typed ? [] : [...findProblems("provider"), ...findProblems("model")];
  return (
    <div className="flex flex-col gap-3">
      {choices.length > 0 && (
        <FormField id={id} label="Model" dataKey="provider, model" required problems={faults}>
          <NativeSelect
            id={id}
            value={typed || at < 0 ? OTHER : String(at)}
            invalid={faults.length > 0}
            aria-describedby={describedBy(id, { hint: false, problems: faults })}
            onChange={({ target }) => {
              const choice = target.value === OTHER ? undefined : choices[Number(target.value)];
              setOther(choice === undefined);
              if (choice !== undefined) change({ provider: choice.provider, model: choice.model });
            }}
          >
            {choices.map(({ provider, model }, index) => (
              <option key={`${provider}/${model}`} value={index}>
                {model} · {provider}
              </option>
            ))}
            <option value={OTHER}>Another model…</option>
          </NativeSelect>
        </FormField>
      )}
      {(typed || at < 0) && (
        <div className="grid gap-3 sm:grid-cols-2">
          <Field form={form} at="provider" />
          <Field form={form} at="model" />
        </div>
      )}
    </div>
  );
}
