"use client";

import { useSuspenseQuery } from "@tanstack/react-query";
import { useState } from "react";
import { AccountField } from "@/app/_components/accounts/summary/account-field";
import { RevokeTokensChoice } from "@/app/_components/accounts/summary/revoke-tokens-choice";
import { FieldProblems } from "@/app/_kit/form-field";
import { readProblems, sortProblems } from "@/app/_kit/problems";
import { useAction } from "@/app/_kit/use-action";
import { useTRPC } from "@/app/_trpc/client";
import { usePrincipal } from "@/app/_ui/access";
import { Alert } from "@/app/_ui/alert";
import { Button } from "@/app/_ui/button";

const FIELDS = ["current", "next"] as const;
const EMPTY = { current: "", next: "", revokeTokens: false };

export function PasswordForm({ email }: { email: string }) {
  const trpc = useTRPC();
  const { id } = usePrincipal();
  const { data: all } = useSuspenseQuery(trpc.tokens.list.queryOptions());
  const tokens = all.filter(({ ownerId }) => ownerId === id).length;
  const [draft, setDraft] = useState(EMPTY);
  // Passwords are not kept once they are sent.
  const change = useAction(trpc.account.changePassword.mutationOptions({ gcTime: 0 }), {
    stale: [trpc.account.sessions.queryKey(), trpc.tokens.list.queryKey()],
    done: () => "Password changed; your other sessions ended",
    onDone: () => setDraft(EMPTY),
  });
  const problems = sortProblems(change.error === null ? [] : readProblems(change.error), FIELDS, "");
  return (
    <form
      noValidate
      aria-label="Change password"
      className="flex max-w-md flex-col gap-3"
      onSubmit={(event) => {
        event.preventDefault();
        if (!change.isPending) change.mutate(draft);
      }}
    >
      {/* Tells password managers whose password this is. */}
      <input type="email" autoComplete="username" aria-label="E-mail" value={email} readOnly hidden />
      <AccountField
        label="Current password"
        type="password"
        autoComplete="current-password"
        required
        value={draft.current}
        problems={problems.current}
        onChange={(current) => setDraft({ ...draft, current })}
      />
      <AccountField
        label="New password"
        type="password"
        autoComplete="new-password"
        required
        hint="At least 12 characters. Your other sessions end."
        value={draft.next}
        problems={problems.next}
        onChange={(next) => setDraft({ ...draft, next })}
      />
      {tokens > 0 && (
        <RevokeTokensChoice
          count={tokens}
          checked={draft.revokeTokens}
          onChange={(revokeTokens) => setDraft({ ...draft, revokeTokens })}
        />
      )}
      {problems[""] !== undefined && (
        <Alert live tone="bad" title="Couldn't change the password">
          <FieldProblems id="password" problems={problems[""]} />
        </Alert>
      )}
      <Button
        type="submit"
        className="self-start"
        disabled={change.isPending || draft.current === "" || draft.next === ""}
      >
        {change.isPending ? "Changing…" : "Change password"}
      </Button>
    </form>
  );
}
