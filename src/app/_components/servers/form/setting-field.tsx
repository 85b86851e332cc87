"use client";

import { type ClipboardEventHandler, type ReactNode, useId } from "react";
import { describedBy, FormField } from "@/app/_components/tools/editor/form-field";
import { Input } from "@/app/_ui/field";
import type { FormState } from "./form-state";
import type { ServerDraft } from "./server-draft";

type TextKey = {
  [K in keyof ServerDraft]: ServerDraft[K] extends string ? K : never;
}[keyof ServerDraft];

export interface SettingFieldProps {
  form: FormState;
  /** Which text of the draft. */
  part: TextKey;
  /** Its name in the settings where that differs: `auth.clientId`. */
  field?: string;
  label: string;
  hint?: ReactNode;
  required?: boolean;
  mono?: boolean;
  placeholder?: string;
  inputMode?: "numeric" | "url";
  onPaste?: ClipboardEventHandler<HTMLInputElement>;
}

/** One line of text of the settings, with the server's problems beneath. */
export function SettingField({ form, part, field = part, label, hint, required, mono, ...input }: SettingFieldProps) {
  const id = useId();
  const problems = form.problemsOf(field);
  return (
    <FormField id={id} label={label} dataKey={field} required={required ?? false} hint={hint} problems={problems}>
      <Input
        {...input}
        id={id}
        data-field={field}
        value={form.draft[part]}
        invalid={problems.length > 0}
        autoComplete="off"
        autoCapitalize="off"
        spellCheck={!mono && part === "title"}
        className={mono ? "font-mono text-xs!" : undefined}
        aria-required={required || undefined}
        aria-describedby={describedBy(id, { hint: hint !== undefined, problems })}
        onChange={(event) => form.change({ [part]: event.target.value })}
      />
    </FormField>
  );
}
