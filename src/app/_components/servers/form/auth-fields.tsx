"use client";

import { useId } from "react";
import { describedBy, FieldProblems, FormField } from "@/app/_kit/form-field";
import { NativeSelect } from "@/app/_ui/field";
import { Segmented } from "@/app/_ui/segmented";
import type { ServerAuth } from "@/lib/contract/server";
import { SIGNING_ALGORITHMS, type SigningAlgorithm } from "@/lib/contract/signing-algorithms";
import type { FormState } from "./form-state";
import { SecretInput } from "./secret-input";
import { authTypesOf } from "./server-draft";
import { SettingField } from "./setting-field";

const AUTH_WORDS: Record<ServerAuth["type"], { label: string; text: string }> = {
  none: { label: "None", text: "No sign-in beyond the headers above." },
  oauth: {
    label: "OAuth",
    text: "You sign in with your browser; tokens are stored encrypted and refreshed automatically.",
  },
  client_credentials: { label: "Client credentials", text: "Toolroom signs in automatically with a client secret." },
  private_key_jwt: {
    label: "Private key",
    text: "Toolroom signs in automatically with a JWT signed by your private key (private_key_jwt).",
  },
};
/** How to sign in to a remote server. */
export function AuthFields({ form }: { form: FormState }) {
  const { draft, change } = form;
  const types = authTypesOf(draft.transport);
  const chosen = types.includes(draft.authType) ? draft.authType : "none";
  return (
    <>
      <div>
        <p className="mb-1 flex items-baseline gap-1.5 font-medium">
          Sign-in <span className="font-mono font-normal text-2xs text-faint">auth</span>
        </p>
        <Segmented
          label="Sign-in"
          value={chosen}
          options={types.map((value) => ({ value, label: AUTH_WORDS[value].label }))}
          onChange={(authType) => change({ authType })}
        />
        <p className="mt-1 text-mute text-xs">{AUTH_WORDS[chosen].text}</p>
        <FieldProblems id="auth" problems={[...form.problemsOf("auth"), ...form.problemsOf("auth.type")]} />
      </div>
      {chosen !== "none" && (
        <div className="grid gap-4 border-line2 border-l-2 pl-3">
          {draft.transport === "openapi" && (
            <SettingField
              form={form}
              part="tokenUrl"
              field="auth.tokenUrl"
              label="Token URL"
              required
              mono
              inputMode="url"
              placeholder="https://auth.example.com/oauth/token"
            />
          )}
          <SettingField
            form={form}
            part="clientId"
            field="auth.clientId"
            label="Client ID"
            required={draft.authType !== "oauth"}
            mono
            hint={
              draft.authType === "oauth" ? "Empty: Toolroom registers itself where the server allows it." : undefined
            }
          />
          {draft.authType === "private_key_jwt" ? (
            <>
              <SecretField
                form={form}
                part="privateKey"
                label="Private key"
                required
                hint="PEM, without a passphrase."
              />
              <AlgorithmField form={form} />
            </>
          ) : (
            <SecretField
              form={form}
              part="clientSecret"
              label="Client secret"
              required={draft.authType === "client_credentials"}
            />
          )}
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

interface SecretFieldProps {
  form: FormState;
  part: "clientSecret" | "privateKey";
  label: string;
  required: boolean;
  hint?: string;
}

function SecretField({ form, part, label, required, hint }: SecretFieldProps) {
  const id = useId();
  const row = form.draft[part];
  const field = `auth.${part}`;
  const problems = form.problemsOf(field);
  return (
    <FormField id={id} label={label} dataKey={field} required={required} hint={hint} problems={problems}>
      <SecretInput
        id={id}
        row={row}
        label={label}
        field={field}
        invalid={problems.length > 0}
        describedBy={describedBy(id, { hint: hint !== undefined, problems })}
        revealed={form.revealed === row.key}
        onReveal={(shown) => form.reveal(shown ? row.key : null)}
        onChange={(changed) => form.change({ [part]: { ...row, ...changed } })}
      />
    </FormField>
  );
}

function AlgorithmField({ form }: { form: FormState }) {
  const id = useId();
  const problems = form.problemsOf("auth.algorithm");
  return (
    <FormField id={id} label="Algorithm" dataKey="auth.algorithm" required={false} problems={problems}>
      <NativeSelect
        id={id}
        data-field="auth.algorithm"
        value={form.draft.algorithm}
        invalid={problems.length > 0}
        aria-describedby={describedBy(id, { hint: false, problems })}
        onChange={({ target }) => form.change({ algorithm: target.value as SigningAlgorithm })}
        options={SIGNING_ALGORITHMS.map((name) => [name, name])}
      />
    </FormField>
  );
}
