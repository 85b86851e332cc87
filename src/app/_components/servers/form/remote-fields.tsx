"use client";

import { AuthFields } from "./auth-fields";
import type { FormState } from "./form-state";
import { SecretRows } from "./secret-rows";
import { SettingField } from "./setting-field";

/** The address of a remote server, and how to sign in to it. */
export function RemoteFields({ form }: { form: FormState }) {
  return (
    <>
      <SettingField
        form={form}
        part="url"
        label="Address"
        required
        mono
        inputMode="url"
        placeholder={form.draft.transport === "sse" ? "https://example.com/sse" : "https://example.com/mcp"}
      />
      <SecretRows form={form} list="headers" />
      <AuthFields form={form} />
    </>
  );
}
