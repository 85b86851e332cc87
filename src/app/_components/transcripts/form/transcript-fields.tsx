"use client";

import { DraftField } from "@/app/_kit/draft-field";
import { Segmented } from "@/app/_ui/segmented";
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
  const fieldProps = (part: Exclude<keyof TranscriptDraft, "source">, field: TranscriptField) => ({
    ...{ field, value: draft[part], problems: problems[field] ?? [] },
    onChange: (value: string) => onChange({ [part]: value }),
  });
  return (
    <>
      <DraftField label="Title" required placeholder="Standup" {...fieldProps("title", "title")} />
      <div className="flex flex-col gap-2">
        <div className="flex flex-wrap items-center gap-2.5">
          <span className="font-medium">Source</span>
          <Segmented
            label="Source"
            value={draft.source}
            options={[
              { value: "push", label: "Sent here" },
              { value: "file", label: "A file" },
            ]}
            onChange={(source) => onChange({ source })}
          />
        </div>
        {draft.source === "push" ? (
          <p className="text-mute text-xs">Over the API or a WebSocket. The transcript's page shows how.</p>
        ) : (
          <DraftField
            label="File"
            required
            mono
            placeholder="standup.txt"
            hint="On the server, below data/transcripts or a folder of TOOLROOM_TRANSCRIPT_FOLDERS. Read from the beginning: plain lines, “Speaker: text”, or JSON lines with text, speaker and atMs."
            {...fieldProps("path", "source.path")}
          />
        )}
      </div>
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
      <DraftField
        label="Webhook"
        mono
        inputMode="url"
        placeholder="https://example.org/answers"
        hint="Receives answers via POST (optional)."
        {...fieldProps("webhookUrl", "webhookUrl")}
      />
    </>
  );
}
