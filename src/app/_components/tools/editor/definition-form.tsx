"use client";

import { PROVIDER_NAME_RULE } from "@/lib/name-rule";
import { ImplementationFields } from "./implementation-fields";
import { JsonPartField } from "./json-part-field";
import { MoreFields } from "./more-fields";
import { type DefinitionField, problemsOf } from "./problem-fields";
import { type DefinitionFormProps, TextField } from "./text-field";

export function DefinitionForm({ draft, value, problems, handlers, attempted }: DefinitionFormProps) {
  const text = (field: DefinitionField) => ({ draft, value, problems, field });
  return (
    <div className="flex flex-col gap-4">
      <TextField
        {...text("name")}
        label="Name"
        required
        mono
        hint={`Up to 128 letters, digits, '_', '-' and '.'. ${PROVIDER_NAME_RULE}`}
      />
      <TextField
        {...text("description")}
        label="Description"
        required
        rows={3}
        hint="When to use this tool, what it does and what it returns."
      />
      <ImplementationFields {...{ draft, value, problems, handlers, attempted }} />
      <JsonPartField
        draft={draft}
        part="parameters"
        attempted={attempted}
        label="Parameters"
        hint="JSON Schema of the arguments. The root type must be “object”."
        problems={problemsOf(problems, "parameters")}
        minLines={10}
      />
      <MoreFields draft={draft} value={value} problems={problems} />
    </div>
  );
}
