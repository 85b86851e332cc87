"use client";

import { DraftField, type DraftFieldProps } from "@/app/_kit/draft-field";
import { hasMask } from "@/lib/masked-value";
import type { FormState } from "./form-state";
import type { ServerDraft } from "./server-draft";

/** For settings that hold a stored secret. */
export const MASK_HINT = "[masked:…] stands for a stored secret. Leave it to keep the secret, or replace it.";

type TextKey = {
  [K in keyof ServerDraft]: ServerDraft[K] extends string ? K : never;
}[keyof ServerDraft];

export interface SettingFieldProps extends Omit<DraftFieldProps, "field" | "value" | "problems" | "onChange"> {
  form: FormState;
  /** Which text of the draft. */
  part: TextKey;
  /** Its name in the settings where that differs: `auth.clientId`. */
  field?: string;
}

/** One text of the settings, with the server's problems beneath. */
export function SettingField({ form, part, field = part, hint, ...shown }: SettingFieldProps) {
  return (
    <DraftField
      {...shown}
      hint={hasMask(form.draft[part]) ? MASK_HINT : hint}
      field={field}
      value={form.draft[part]}
      problems={form.problemsOf(field)}
      onChange={(value) => form.change({ [part]: value })}
    />
  );
}
