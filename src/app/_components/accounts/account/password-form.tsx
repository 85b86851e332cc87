import { useSuspenseQuery } from "@tanstack/react-query";
import { RevokeTokensChoice } from "@/app/_components/accounts/summary/revoke-tokens-choice";
import { EditForm } from "@/app/_kit/form/edit-form";
import { Field } from "@/app/_kit/form/field";
import { custom, defineForm, type FieldLook, text } from "@/app/_kit/form/fields";
import { client, trpc } from "@/app/_trpc/client";
import { usePrincipal } from "@/app/_ui/access";

interface NewPassword {
  current: string;
  next: string;
  revokeTokens: boolean;
}

const password = (label: string, look: FieldLook) =>
  text(label, { type: "password", required: true, write: (typed) => typed, ...look });

const PASSWORD_FORM = defineForm<NewPassword>()({
  current: password("Current password", { autoComplete: "current-password" }),
  next: password("New password", {
    autoComplete: "new-password",
    hint: "At least 12 characters. Your other sessions end.",
  }),
  revokeTokens: custom("Also revoke API tokens", false),
});

export function PasswordForm({ email }: { email: string }) {
  const { id } = usePrincipal();
  const { data: all } = useSuspenseQuery(trpc.tokens.list.queryOptions());
  const tokens = all.filter(({ ownerId }) => ownerId === id).length;
  return (
    <EditForm
      label="Change password"
      submitLabel="Change password"
      failure="Couldn't change the password"
      table={PASSWORD_FORM}
      save={(input) => client.account.changePassword.mutate(input)}
      stale={[trpc.account.sessions, trpc.tokens.list]}
      done="Password changed; your other sessions ended"
    >
      {(form) => (
        <>
          {/* Names the account to password managers. */}
          <input type="email" autoComplete="username" aria-label="E-mail" value={email} readOnly hidden />
          <Field form={form} at="current" />
          <Field form={form} at="next" />
          {tokens > 0 && (
            <RevokeTokensChoice
              count={tokens}
              checked={form.draft.revokeTokens}
              onChange={(revokeTokens) => form.change({ revokeTokens })}
            />
          )}
        </>
      )}
    </EditForm>
  );
}
