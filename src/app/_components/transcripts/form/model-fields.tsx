"use client";

import { useId, useState } from "react";
import { Field } from "@/app/_kit/form/field";
import type { DraftOf } from "@/app/_kit/form/fields";
import type { FormState } from "@/app/_kit/form/use-form";
import { describedBy, FormField } from "@/app/_kit/form-field";
import { NativeSelect } from "@/app/_ui/field";
import type { ModelChoice } from "@/lib/contract/model";
import type { TRANSCRIPT_FORM } from "./transcript-fields";

export interface ModelFieldsProps {
  choices: readonly ModelChoice[];
  form: FormState<DraftOf<typeof TRANSCRIPT_FORM.fields>>;
}

const OTHER = "other";

/** One of the models that are set up, or any other by its names. */
export function ModelFields({ choices, form }: ModelFieldsProps) {
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
          <Field form={form} at="provider" />
          <Field form={form} at="model" />
        </div>
      )}
    </div>
  );
}
