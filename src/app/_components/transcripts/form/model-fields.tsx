"use client";

import { useId, useState } from "react";
import { DraftField } from "@/app/_kit/draft-field";
import { describedBy, FormField } from "@/app/_kit/form-field";
import { NativeSelect } from "@/app/_ui/field";
import type { ModelChoice } from "@/lib/contract/model";
import type { DraftProblems, TranscriptDraft } from "./transcript-draft";

export interface ModelFieldsProps {
  choices: readonly ModelChoice[];
  draft: TranscriptDraft;
  problems: DraftProblems;
  onChange: (part: Partial<TranscriptDraft>) => void;
}

const OTHER = "other";

/** One of the models that are set up, or any other by its names. */
export function ModelFields({ choices, draft, problems, onChange }: ModelFieldsProps) {
  const id = useId();
  const [other, setOther] = useState(false);
  const at = choices.findIndex(({ provider, model }) => provider === draft.provider && model === draft.model);
  const typed = other || choices.length === 0;
  const faults = typed ? [] : [...(problems.provider ?? []), ...(problems.model ?? [])];
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
              if (choice !== undefined) onChange({ provider: choice.provider, model: choice.model });
            }}
          >
            {choices.map(({ provider, model, check }, index) => (
              <option key={`${provider}/${model}`} value={index}>
                {model} · {provider}
                {check?.validated === true ? " · validated" : ""}
              </option>
            ))}
            <option value={OTHER}>Another model…</option>
          </NativeSelect>
        </FormField>
      )}
      {(typed || at < 0) && (
        <div className="grid gap-3 sm:grid-cols-2">
          <DraftField
            label="Provider"
            field="provider"
            mono
            required
            value={draft.provider}
            problems={problems.provider ?? []}
            onChange={(provider) => onChange({ provider })}
          />
          <DraftField
            label="Model name"
            field="model"
            mono
            required
            value={draft.model}
            problems={problems.model ?? []}
            onChange={(model) => onChange({ model })}
          />
        </div>
      )}
    </div>
  );
}
