"use client";

import { Segmented } from "@/app/_ui/segmented";
import type { ModelChoice } from "@/lib/contract/model";
import { DraftField } from "./draft-field";
import { ModelFields } from "./model-fields";
import type { DraftProblems, TranscriptDraft } from "./transcript-draft";

export interface TranscriptFieldsProps {
  draft: TranscriptDraft;
  choices: readonly ModelChoice[];
  problems: DraftProblems;
  onChange: (part: Partial<TranscriptDraft>) => void;
}

export function TranscriptFields({ draft, choices, problems, onChange }: TranscriptFieldsProps) {
  const fieldProps = (part: Exclude<keyof TranscriptDraft, "source">, field: string = part) => ({
    ...{ field, value: draft[part], problems: problems[field] ?? [] },
    onChange: (value: string) => onChange({ [part]: value }),
  });
  return (
    <>
      <DraftField label="Title" required placeholder="Standup" {...fieldProps("title")} />
      <div className="flex flex-col gap-2">
        <div className="flex flex-wrap items-center gap-2.5">
          <span className="font-medium">Where the text comes from</span>
          <Segmented
            label="Where the text comes from"
            value={draft.source}
            options={[
              { value: "push", label: "Sent here" },
              { value: "file", label: "A file" },
            ]}
            onChange={(source) => onChange({ source })}
          />
        </div>
        {draft.source === "push" ? (
          <p className="text-mute text-xs">Over the API or a WebSocket; the transcript's page says how.</p>
        ) : (
          <DraftField
            label="File"
            required
            mono
            placeholder="standup.txt"
            hint="On the server, below data/transcripts or a folder of TOOLROOM_TRANSCRIPT_FOLDERS. It is read from its beginning: plain lines, “Speaker: text”, or JSON lines with text, speaker and atMs."
            {...fieldProps("path", "source.path")}
          />
        )}
      </div>
      <DraftField
        label="Wake phrases"
        required
        rows={2}
        hint="One a line. Case, punctuation and spaces do not matter."
        {...fieldProps("wakePhrases")}
      />
      <ModelFields choices={choices} draft={draft} problems={problems} onChange={onChange} />
      <DraftField
        label="Instructions"
        rows={3}
        hint="What the model should know: who speaks, how to answer."
        {...fieldProps("instructions")}
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
        hint="Told of every answer by POST. May stay empty."
        {...fieldProps("webhookUrl")}
      />
    </>
  );
}
