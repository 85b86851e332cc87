"use client";

import { useId } from "react";
import { Field } from "@/app/_kit/form/field";
import { FieldProblems } from "@/app/_kit/form-field";
import { NativeSelect } from "@/app/_ui/field";
import { type DefinitionFormProps, type FieldProps, findProblems, useDefinitionTexts } from "./definition-fields";
import { valueAt } from "./definition-text";
import { ImplementationFields } from "./implementation-fields";
import { JsonPartField } from "./json-part-field";

export function DefinitionForm(props: DefinitionFormProps) {
  const { draft, problems, attempted } = props;
  const form = useDefinitionTexts(props);
  return (
    <div className="flex flex-col gap-4">
      <Field form={form} at="name" />
      <Field form={form} at="description" />
      <ImplementationFields {...props} />
      <JsonPartField
        draft={draft}
        part="parameters"
        attempted={attempted}
        label="Parameters"
        hint="JSON Schema of the arguments. The root type must be “object”."
        problems={findProblems(problems, "parameters")}
        minLines={10}
      />
      <details className="rounded-lg border border-line bg-panel">
        <summary className="rounded-lg px-3 py-2 font-medium">Hints, masked values, tags, timeout, labels</summary>
        <div className="flex flex-col gap-4 border-line border-t p-3">
          <HintFields {...props} />
          <div className="grid gap-4 sm:grid-cols-2">
            <Field form={form} at="sensitive.arguments" />
            <Field form={form} at="sensitive.results" />
          </div>
          <Field form={form} at="tags" />
          <Field form={form} at="timeout_ms" />
          <Field form={form} at="title" />
          <Field form={form} at="handler" />
        </div>
      </details>
    </div>
  );
}

const HINTS = [
  ["readOnlyHint", "Read-only"],
  ["destructiveHint", "Destructive"],
  ["idempotentHint", "Idempotent"],
  ["openWorldHint", "Open world"],
] as const;

/** Not said, yes and no are three different claims. */
function HintFields({ draft, value, problems }: FieldProps) {
  const id = useId();
  return (
    <fieldset className="min-w-0">
      <legend className="mb-1 flex items-baseline gap-1.5 font-medium">
        Hints <span className="font-mono font-normal text-2xs text-faint">annotations</span>
      </legend>
      <div className="grid gap-x-4 gap-y-2 sm:grid-cols-2">
        {HINTS.map(([key, label]) => {
          const held = valueAt(value, ["annotations", key]);
          return (
            <label key={key} htmlFor={`${id}-${key}`} className="flex items-center justify-between gap-2 text-mute">
              {label}
              <NativeSelect
                id={`${id}-${key}`}
                value={typeof held === "boolean" ? String(held) : ""}
                onChange={({ target }) =>
                  draft.set(["annotations", key], target.value === "" ? undefined : target.value === "true")
                }
                className="max-w-28"
              >
                <option value="">Unspecified</option>
                <option value="true">Yes</option>
                <option value="false">No</option>
              </NativeSelect>
            </label>
          );
        })}
      </div>
      <FieldProblems id={id} problems={findProblems(problems, "annotations")} />
    </fieldset>
  );
}
