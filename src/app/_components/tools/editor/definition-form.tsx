"use client";

import { ImplementationFields } from "./implementation-fields";
import { JsonPartField } from "./json-part-field";
import { MoreFields } from "./more-fields";
import { type DefinitionField, problemsOf } from "./problem-fields";
import type { HandlerNames } from "./templates";
import { type FieldProps, TextField } from "./text-field";

export interface DefinitionFormProps extends FieldProps {
  handlers: HandlerNames;
}

export function DefinitionForm({ draft, value, problems, handlers }: DefinitionFormProps) {
  const text = (field: DefinitionField) => ({ draft, value, problems, field });
  return (
    <div className="flex flex-col gap-4">
      <TextField
        {...text("name")}
        label="Name"
        required
        mono
        hint="What a model calls it by: letters, digits, '_', '-' and '.', at most 128. Providers take letters, digits, '_' and '-' up to 64 as it is."
      />
      <TextField
        {...text("description")}
        label="Description"
        required
        long
        hint="What a model chooses by: what it does, when to use it, what comes back."
      />
      <ImplementationFields draft={draft} value={value} problems={problems} handlers={handlers} />
      <JsonPartField
        draft={draft}
        part="parameters"
        label="Parameters"
        hint="JSON Schema of the arguments; its root type is “object”."
        problems={problemsOf(problems, "parameters")}
        minLines={10}
      />
      <MoreFields draft={draft} value={value} problems={problems} />
    </div>
  );
}
