"use client";

import { useId } from "react";
import { FieldProblems, FormField } from "@/app/_components/tools/editor/form-field";
import { Segmented } from "@/app/_ui/segmented";
import type { ServerAuth } from "@/lib/contract/server";
import type { FormState } from "./form-state";
import { SecretInput } from "./secret-input";
import { SecretRows } from "./secret-rows";
import { SettingField } from "./setting-field";

/** Where a remote server is, and how to be let in. */
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

const AUTH_WORDS: Record<ServerAuth["type"], { label: string; text: string }> = {
  none: { label: "None", text: "No sign-in beyond the headers above." },
  oauth: { label: "OAuth", text: "You sign in with your browser; the tokens are kept encrypted and refreshed." },
  client_credentials: { label: "Client credentials", text: "Toolroom signs in by itself, as a client of the server." },
};
const AUTH_TYPES = Object.keys(AUTH_WORDS) as ServerAuth["type"][];

function AuthFields({ form }: { form: FormState }) {
  const { draft, change } = form;
  return (
    <>
      <div>
        <p className="mb-1 flex items-baseline gap-1.5 font-medium">
          Sign-in <span className="font-mono font-normal text-2xs text-faint">auth</span>
        </p>
        <Segmented
          label="Sign-in"
          value={draft.authType}
          options={AUTH_TYPES.map((value) => ({ value, label: AUTH_WORDS[value].label }))}
          onChange={(authType) => change({ authType })}
        />
        <p className="mt-1 text-mute text-xs">{AUTH_WORDS[draft.authType].text}</p>
        <FieldProblems id="auth" problems={[...form.problemsOf("auth"), ...form.problemsOf("auth.type")]} />
      </div>
      {draft.authType !== "none" && (
        <div className="grid gap-4 border-line2 border-l-2 pl-3">
          <SettingField
            form={form}
            part="clientId"
            field="auth.clientId"
            label="Client id"
            required={draft.authType === "client_credentials"}
            mono
            hint={
              draft.authType === "oauth" ? "Empty: Toolroom registers itself where the server allows it." : undefined
            }
          />
          <ClientSecret form={form} />
          <SettingField
            form={form}
            part="scope"
            field="auth.scope"
            label="Scope"
            mono
            hint="Names separated by spaces. Empty: what the server asks for."
          />
        </div>
      )}
    </>
  );
}

function ClientSecret({ form }: { form: FormState }) {
  const id = useId();
  const { draft, change } = form;
  const row = draft.clientSecret;
  const problems = form.problemsOf("auth.clientSecret");
  return (
    <FormField
      id={id}
      label="Client secret"
      dataKey="auth.clientSecret"
      required={draft.authType === "client_credentials"}
      problems={problems}
    >
      <SecretInput
        id={id}
        row={row}
        label="Client secret"
        field="auth.clientSecret"
        invalid={problems.length > 0}
        describedBy={problems.length > 0 ? `${id}-problems` : undefined}
        revealed={form.revealed === row.key}
        onReveal={(shown) => form.reveal(shown ? row.key : null)}
        onChange={(part) => change({ clientSecret: { ...row, ...part } })}
      />
    </FormField>
  );
}
