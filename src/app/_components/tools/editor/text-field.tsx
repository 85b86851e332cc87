"use client";

import { DraftField, type DraftFieldProps } from "@/app/_kit/form/draft-field";
import type { HandlerCatalogue } from "@/lib/contract/catalogue-tool";
import type { Problem } from "@/lib/contract/problem";
import { valueAt } from "./definition-text";
import { type DefinitionField, problemsOf } from "./problem-fields";
import type { DefinitionDraft } from "./use-definition-draft";

/** What every field of the form is given. */
export interface FieldProps {
  draft: DefinitionDraft;
  /** The definition as it stands, parsed. */
  value: Record<string, unknown>;
  problems: readonly Problem[];
}

export interface DefinitionFormProps extends FieldProps {
  handlers: HandlerCatalogue;
  /** After the first attempt to save; before it no problem is shown. */
  attempted: boolean;
}

/** What a value is called in a field of text; a value of another type is shown as JSON until it is overwritten. */
export function asText(value: unknown): string {
  if (value === undefined) return "";
  return typeof value === "string" ? value : JSON.stringify(value);
}

export interface TextFieldProps
  extends FieldProps,
    Pick<DraftFieldProps, "label" | "hint" | "required" | "mono" | "rows"> {
  field: DefinitionField;
}

/** Edits one text of the definition; an optional one that is emptied leaves the definition. */
export function TextField({ draft, value, problems, field, required = false, ...shown }: TextFieldProps) {
  const path = field.split(".");
  return (
    <DraftField
      {...shown}
      {...{ field, required }}
      value={asText(valueAt(value, path))}
      problems={problemsOf(problems, field)}
      onChange={(text) => draft.set(path, text === "" && !required ? undefined : text)}
    />
  );
}
