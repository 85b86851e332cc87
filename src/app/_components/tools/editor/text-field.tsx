"use client";

import { useId } from "react";
import { Input, Textarea } from "@/app/_ui/field";
import { valueAt } from "./definition-text";
import { describedBy, FormField } from "./form-field";
import { type DefinitionField, problemsOf } from "./problem-fields";
import type { DefinitionDraft } from "./use-definition-draft";

/** What every field of the form is given. */
export interface FieldProps {
  draft: DefinitionDraft;
  /** The definition as it stands, parsed. */
  value: Record<string, unknown>;
  problems: readonly string[];
}

/** What a value is called in a field of text; a value of another type is shown as JSON until it is overwritten. */
export function asText(value: unknown): string {
  if (value === undefined) return "";
  return typeof value === "string" ? value : JSON.stringify(value);
}

export interface TextFieldProps extends FieldProps {
  field: DefinitionField;
  label: string;
  hint?: string;
  required?: boolean;
  mono?: boolean;
  long?: boolean;
}

/** Edits one text of the definition; an optional one that is emptied leaves the definition. */
export function TextField({
  draft,
  value,
  problems,
  field,
  label,
  hint,
  required = false,
  mono,
  long,
}: TextFieldProps) {
  const id = useId();
  const path = field.split(".");
  const mine = problemsOf(problems, field);
  const control = {
    id,
    value: asText(valueAt(value, path)),
    invalid: mine.length > 0,
    "aria-describedby": describedBy(id, { hint: hint !== undefined, problems: mine }),
    onChange: ({ target }: { target: { value: string } }) =>
      draft.set(path, target.value === "" && !required ? undefined : target.value),
  };
  return (
    <FormField id={id} label={label} dataKey={field} required={required} hint={hint} problems={mine}>
      {long ? (
        <Textarea {...control} rows={3} />
      ) : (
        <Input {...control} autoComplete="off" spellCheck={!mono} className={mono ? "font-mono" : undefined} />
      )}
    </FormField>
  );
}
