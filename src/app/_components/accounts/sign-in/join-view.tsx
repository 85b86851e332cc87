"use client";

import { useEffect, useRef, useState } from "react";
import { AccountField } from "@/app/_components/accounts/summary/account-field";
import { JOIN_TITLES, ROLE_ABOUT, ROLE_LABELS } from "@/app/_components/accounts/summary/account-words";
import { RevokeTokensChoice } from "@/app/_components/accounts/summary/revoke-tokens-choice";
import { FieldProblems } from "@/app/_kit/form-field";
import { sortProblems } from "@/app/_kit/problems";
import { Alert } from "@/app/_ui/alert";
import { Button, ButtonLink } from "@/app/_ui/button";
import { Skeleton } from "@/app/_ui/skeleton";
import { toAddress } from "@/lib/base-path";
import type { LinkKind, LinkPreview, LinkUse } from "@/lib/contract/account";
import { AuthCard } from "./auth-card";
import { type AuthRefusal, previewLink, redeemLink, signIn } from "./auth-requests";
import { SingleSignOnButton } from "./single-sign-on-button";

/** The page of a one-time link: the first account, an invitation, or a new password. */
export function JoinView({ signOnName = null }: { signOnName?: string | null }) {
  const [link, setLink] = useJoinLink();
  switch (link.status) {
    case "reading":
      return (
        <AuthCard
          title="Opening the link…"
          text="Each link works once, and for a limited time. Toolroom checks it before it asks you for anything."
        >
          <div role="status" className="flex flex-col gap-3">
            <span className="sr-only">Reading the link</span>
            <Skeleton className="h-8" />
            <Skeleton className="h-8" />
          </div>
        </AuthCard>
      );
    case "missing":
      return (
        <AuthCard
          title="The link is incomplete"
          text="Open the whole link again, including the part after #. A page that is reloaded forgets it."
        >
          <SignInLink />
        </AuthCard>
      );
    case "refused":
      return (
        <AuthCard title="This link can't be used" text={link.message}>
          <p className="mb-4 text-mute">
            An admin can create a new one in Settings → People. The link for the first account is printed again when the
            server restarts.
          </p>
          <SignInLink />
        </AuthCard>
      );
    case "open":
      return link.preview.kind === "invitation" && !link.preview.password ? (
        <JoinBySignOn preview={link.preview} name={signOnName} />
      ) : (
        <JoinForm
          key={link.token}
          token={link.token}
          preview={link.preview}
          onGone={(message) => setLink({ status: "refused", message })}
        />
      );
  }
}

function SignInLink() {
  return (
    <ButtonLink href="/sign-in" size="md">
      Go to sign in
    </ButtonLink>
  );
}

type JoinLink =
  | { status: "reading" }
  /** The address has no token: it was opened by hand, or loaded again. */
  | { status: "missing" }
  | { status: "refused"; message: string }
  | { status: "open"; token: string; preview: LinkPreview };

/**
 * Reads the token from the address' fragment, which no server is sent, and takes it out of there: it must not stay in
 * the browser's history.
 */
function useJoinLink(): [JoinLink, (link: JoinLink) => void] {
  const [link, setLink] = useState<JoinLink>({ status: "reading" });
  const taken = useRef(false);

  // Outside system: the address of the page.
  useEffect(() => {
    const readAddress = (): void => {
      const token = window.location.hash.slice(1);
      if (token === "") {
        // A development build runs effects twice, and the first run has taken the token out.
        if (!taken.current) setLink({ status: "missing" });
        return;
      }
      taken.current = true;
      window.history.replaceState(null, "", window.location.pathname);
      setLink({ status: "reading" });
      void previewLink(token).then((answer) =>
        setLink(
          "body" in answer
            ? { status: "open", token, preview: answer.body }
            : { status: "refused", message: answer.refusal.message },
        ),
      );
    };
    readAddress();
    // Another link that is pasted into the same tab.
    window.addEventListener("hashchange", readAddress);
    return () => window.removeEventListener("hashchange", readAddress);
  }, []);

  return [link, setLink];
}

interface JoinFormProps {
  token: string;
  preview: LinkPreview;
  /** The link ended while the form was open. */
  onGone: (message: string) => void;
}

const EMPTY = { name: "", email: "", password: "", revokeTokens: false };
const FIELDS = ["name", "email", "password"] as const;
const SUBMIT: Record<LinkKind, string> = {
  setup: "Create account",
  invitation: "Join",
  reset: "Set password and sign in",
  signIn: "Sign in",
};

/** Uses the link, signs in and opens the overview. */
function JoinForm({ token, preview, onGone }: JoinFormProps) {
  const { kind } = preview;
  const [draft, setDraft] = useState(EMPTY);
  const [refusal, setRefusal] = useState<AuthRefusal | null>(null);
  const [pending, setPending] = useState(false);
  const form = useRef<HTMLFormElement>(null);
  const change = (part: Partial<typeof draft>) => setDraft((before) => ({ ...before, ...part }));
  const problems = sortProblems(refusal?.problems ?? [], FIELDS, "");
  const whole = refusal !== null && refusal.problems.length === 0 ? [refusal.message] : problems[""];

  async function submit(): Promise<void> {
    if (pending) return;
    setPending(true);
    const answer = await redeemLink(token, readUse(draft, preview));
    if ("refusal" in answer) {
      setPending(false);
      if (answer.refusal.gone) onGone(answer.refusal.message);
      else setRefusal(answer.refusal);
      return;
    }
    // Without a password, the account has to be connected to the provider.
    if (answer.body.signedIn) return window.location.assign(toAddress("/settings/account"));
    const signedIn = await signIn({ email: answer.body.email, password: draft.password, rememberMe: false });
    window.location.assign(toAddress("refusal" in signedIn ? "/sign-in" : "/"));
  }

  // Outside system: the focus, which goes to what has to be corrected.
  useEffect(() => {
    if (refusal !== null) form.current?.querySelector<HTMLElement>("[aria-invalid]")?.focus();
  }, [refusal]);

  return (
    <AuthCard title={JOIN_TITLES[kind]} text={<JoinText preview={preview} />}>
      <form
        ref={form}
        aria-label={JOIN_TITLES[kind]}
        noValidate
        className="flex flex-col gap-4"
        onSubmit={(event) => {
          event.preventDefault();
          void submit();
        }}
      >
        {kind !== "reset" && kind !== "signIn" && (
          <AccountField
            label="Name"
            autoComplete="name"
            required
            autoFocus
            maxLength={100}
            hint="Your calls are recorded under this name."
            value={draft.name}
            problems={problems.name}
            onChange={(name) => change({ name })}
          />
        )}
        <AccountField
          label="E-mail"
          type="email"
          autoComplete="username"
          required
          readOnly={preview.email !== null}
          hint={preview.email === null ? "You sign in with it." : undefined}
          value={preview.email ?? draft.email}
          problems={problems.email}
          onChange={(email) => change({ email })}
        />
        {preview.password && (
          <AccountField
            label={kind === "reset" ? "New password" : "Password"}
            type="password"
            autoComplete="new-password"
            required
            autoFocus={kind === "reset"}
            hint="At least 12 characters."
            value={draft.password}
            problems={problems.password}
            onChange={(password) => change({ password })}
          />
        )}
        {preview.apiTokens > 0 && (
          <RevokeTokensChoice
            count={preview.apiTokens}
            checked={draft.revokeTokens}
            onChange={(revokeTokens) => change({ revokeTokens })}
          />
        )}
        {whole !== undefined && (
          <Alert live tone="bad" title="Not saved">
            <FieldProblems id="join" problems={whole} />
          </Alert>
        )}
        <Button type="submit" size="md" variant="primary" disabled={pending}>
          {pending ? "Saving…" : SUBMIT[kind]}
        </Button>
      </form>
    </AuthCard>
  );
}

/** With passwords switched off, the provider identifies the invited user. */
function JoinBySignOn({ preview, name }: { preview: LinkPreview; name: string | null }) {
  return (
    <AuthCard title={JOIN_TITLES.invitation} text={<JoinText preview={preview} />}>
      <p className="mb-4">
        Sign in as <bdi>{preview.email ?? "the user who was invited"}</bdi>. There are no passwords here.
      </p>
      <SingleSignOnButton
        variant="primary"
        label={`Join with ${name ?? "single sign-on"}`}
        request={() => ({ to: "/" })}
      />
    </AuthCard>
  );
}

function readUse(draft: typeof EMPTY, { kind, email, password: asked, apiTokens }: LinkPreview): LinkUse {
  const { name, revokeTokens } = draft;
  const password = asked ? { password: draft.password } : {};
  if (kind === "signIn") return {};
  if (kind === "reset") return { ...password, ...(apiTokens > 0 ? { revokeTokens } : {}) };
  return email === null ? { name, email: draft.email, ...password } : { name, ...password };
}

function JoinText({ preview: { kind, role, name } }: { preview: LinkPreview }) {
  if (kind === "setup") return "It has the role admin: it invites everyone else.";
  if (kind === "signIn") return "It opens a session of this account for a day, without a password.";
  if (kind === "reset") {
    return (
      <>
        For <bdi>{name ?? "your account"}</bdi>. Other browsers that are signed in have to sign in again.
      </>
    );
  }
  return role === null ? null : (
    <>
      Your role: <strong className="font-medium text-text">{ROLE_LABELS[role].toLowerCase()}</strong>.{" "}
      {ROLE_ABOUT[role]}
    </>
  );
}
