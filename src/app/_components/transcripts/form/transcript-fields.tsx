"use client";

import { DraftField } from "@/app/_kit/draft-field";
import type { ModelChoice } from "@/lib/contract/model";
import { ModelFields } from "./model-fields";
import type { DraftProblems, TranscriptDraft, TranscriptField } from "./transcript-draft";

export interface TranscriptFieldsProps {
  draft: TranscriptDraft;
  choices: readonly ModelChoice[];
  problems: DraftProblems;
  onChange: (part: Partial<TranscriptDraft>) => void;
}

export function TranscriptFields({ draft, choices, problems, onChange }: TranscriptFieldsProps) {
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
