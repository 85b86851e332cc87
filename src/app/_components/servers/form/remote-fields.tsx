import { RedirectAddress } from "@/app/_components/servers/summary/redirect-address";
import { Field } from "@/app/_kit/form/field";
import { IDENTITY_AUTH_TYPES } from "@/lib/contract/server-kind";
import type { KindFieldsProps, ServerFieldsProps } from "./advanced-fields";
import type { ServerDraft } from "./server-fields";
import { getKind, getKindWords, readAuthType } from "./server-kinds";

/** The address of a remote server, and how to sign in to it. */
export function RemoteFields({ form }: KindFieldsProps) {
  return (
    <>
      <Field form={form} at="url" placeholder={getKind(form.draft).example} {...getKindWords(form.draft).url} />
      <Field form={form} at="headers" />
      <Field form={form} at="query" />
      <AuthFields form={form} />
    </>
  );
}

function AuthFields({ form }: ServerFieldsProps) {
  const chosen = readAuthType(form.draft);
  /** A sign-in as the user of each call excludes shared credentials. */
  function change(part: Partial<ServerDraft>) {
    const isPersonal = IDENTITY_AUTH_TYPES.some((type) => type === part["auth.type"]);
    form.change({ ...part, ...(isPersonal && { "credentials.mode": "personal" as const }) });
  }
  const isOAuth = chosen === "oauth";
  return (
    <>
      <Field
        form={{ ...form, change, draft: { ...form.draft, "auth.type": chosen } }}
        at="auth.type"
        only={getKind(form.draft).authTypes}
      />
      {chosen !== "none" && (
        <div className="grid gap-4 border-line2 border-l-2 pl-3">
          <Field form={form} at="auth.tokenUrl" />
          <Field form={form} at="auth.issuer" />
          <Field form={form} at="auth.tokenFrom" />
          <Field form={form} at="auth.tokenFile" />
          <Field form={form} at="auth.tokenVariable" />
          <Field
            form={form}
            at="auth.clientId"
            required={!isOAuth && chosen !== "workload_identity"}
            hint={
              chosen === "workload_identity" ? (
                "Only where the authorization server wants one beside the token."
              ) : isOAuth ? (
                <>
                  Empty: Toolroom registers itself where the server allows it. Else register an application with the
                  redirect address <RedirectAddress />
                </>
              ) : undefined
            }
          />
          <Field form={form} at="auth.clientSecret" required={chosen === "client_credentials"} />
          <Field form={form} at="auth.privateKey" />
          <Field form={form} at="auth.algorithm" />
          <Field form={form} at="auth.audience" />
          <Field form={form} at="auth.resource" />
          <Field form={form} at="auth.scope" />
          <Field form={form} at="auth.acceptedIssuer" />
        </div>
      )}
    </>
  );
}
