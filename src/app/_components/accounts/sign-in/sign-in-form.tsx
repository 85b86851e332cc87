"use client";

import { useEffect, useRef, useState } from "react";
import { AccountField } from "@/app/_components/accounts/summary/account-field";
import { sortProblems } from "@/app/_kit/problems";
import { useNow } from "@/app/_kit/use-now";
import { Alert } from "@/app/_ui/alert";
import { Button } from "@/app/_ui/button";
import { Checkbox } from "@/app/_ui/checkbox";
import { useHydrated } from "@/app/_ui/use-hydrated";
import { toAddress } from "@/lib/base-path";
import type { Problem } from "@/lib/contract/problem";
import { resolveOwnPath } from "@/lib/http-guard/own-path";
import { AuthCard } from "./auth-card";
import { type AuthRefusal, type Credentials, signIn } from "./auth-requests";
import { SingleSignOnButton } from "./single-sign-on-button";

const EMPTY: Credentials = { email: "", password: "", rememberMe: false };

const FIELDS = ["email", "password"] as const;

function checkCredentials({ email, password }: Credentials): Problem[] {
  return [
    ...(/\S@\S/.test(email) ? [] : [{ path: "email", message: "must be an e-mail address" }]),
    ...(password === "" ? [{ path: "password", message: "is required" }] : []),
  ];
}

interface SignInFormProps {
  /** The name of the identity provider; null without single sign-on. */
  signOnName?: string | null;
  /** Why single sign-on did not sign the user in. */
  signOnProblem?: string | null;
}

/** The address to return to; the overview where the parameter is not a page of this server. */
const readTo = (): string => resolveOwnPath(new URLSearchParams(window.location.search).get("to")) ?? "/";

/** Opens the page that was asked for once the server has set the cookie. */
export function SignInForm({ signOnName = null, signOnProblem = null }: SignInFormProps) {
  const [credentials, setCredentials] = useState(EMPTY);
  const [refusal, setRefusal] = useState<AuthRefusal | null>(null);
  const [pending, setPending] = useState(false);
  const hydrated = useHydrated();
  const form = useRef<HTMLFormElement>(null);
  const change = (part: Partial<Credentials>) => setCredentials((before) => ({ ...before, ...part }));
  const problems = sortProblems(refusal?.problems ?? [], FIELDS, "");

  async function submit(): Promise<void> {
    if (pending) return;
    const found = checkCredentials(credentials);
    if (found.length > 0) return setRefusal({ message: "", problems: found, retryAfter: null, gone: false });
    setPending(true);
    const answer = await signIn(credentials);
    if ("refusal" in answer) {
      setRefusal(answer.refusal);
      setPending(false);
    } else window.location.assign(toAddress(readTo()));
  }

  // Outside system: the focus, which goes to what has to be corrected.
  useEffect(() => {
    if (refusal === null) return;
    const wrong = form.current?.querySelector<HTMLElement>("[aria-invalid]");
    (wrong ?? form.current?.querySelector<HTMLElement>("input[type=password]"))?.focus();
  }, [refusal]);

  return (
    <AuthCard title="Sign in">
      {signOnName !== null && (
        <>
          <SignOnPart name={signOnName} problem={signOnProblem} />
          <PasswordInstead />
        </>
      )}
      <form
        ref={form}
        aria-label="Sign in"
        // Until the page's script runs, a form would send its fields in the address.
        method="post"
        noValidate
        className="flex flex-col gap-4"
        onSubmit={(event) => {
          event.preventDefault();
          void submit();
        }}
      >
        <AccountField
          label="E-mail"
          type="email"
          autoComplete="username"
          autoFocus
          required
          value={credentials.email}
          problems={problems.email}
          onChange={(email) => change({ email })}
        />
        <AccountField
          label="Password"
          type="password"
          autoComplete="current-password"
          required
          value={credentials.password}
          problems={problems.password}
          onChange={(password) => change({ password })}
        />
        <label className="-ml-1 flex cursor-pointer items-center gap-1.5 self-start">
          <Checkbox checked={credentials.rememberMe} onChange={(checked) => change({ rememberMe: checked })} />
          Stay signed in
        </label>
        {refusal !== null && refusal.message !== "" && <Refused key={refusal.message} refusal={refusal} />}
        <Button type="submit" size="md" variant="primary" disabled={!hydrated || pending}>
          {pending ? "Signing in…" : "Sign in"}
        </Button>
        <p className="text-mute text-xs">
          No account, or a forgotten password? Ask an admin of this server for an invitation or a reset link.
        </p>
      </form>
    </AuthCard>
  );
}

/** The sign-in page with passwords switched off. */
export function OnlySignOn({ name, problem }: { name: string; problem: string | null }) {
  return (
    <AuthCard title="Sign in">
      <SignOnPart name={name} problem={problem} variant="primary" />
    </AuthCard>
  );
}

interface SignOnPartProps {
  name: string;
  problem: string | null;
  /** Primary where it is the only way in. */
  variant?: "primary";
}

function SignOnPart({ name, problem, variant }: SignOnPartProps) {
  return (
    <div className="flex flex-col gap-4">
      {problem !== null && <Alert live tone="bad" title={problem} />}
      <SingleSignOnButton
        label={`Sign in with ${name}`}
        request={() => ({ to: readTo() })}
        {...(variant !== undefined && { variant })}
      />
    </div>
  );
}

function PasswordInstead() {
  return (
    <p className="my-4 flex items-center gap-3 text-mute text-xs before:h-px before:flex-1 before:bg-line2 after:h-px after:flex-1 after:bg-line2">
      or with a password
    </p>
  );
}

function Refused({ refusal: { message, retryAfter } }: { refusal: AuthRefusal }) {
  const [until] = useState(() => Date.now() + (retryAfter ?? 0) * 1000);
  const now = useNow(1000);
  if (retryAfter === null) return <Alert live tone="bad" title={message} />;
  // The clock moves in whole seconds, from the one that has begun.
  const left = Math.min(retryAfter, Math.max(0, Math.ceil((until - (now ?? until)) / 1000)));
  return (
    <Alert live tone="warn" title={message}>
      {/* Hidden from screen readers, which would announce every second of the countdown. */}
      <p aria-hidden className="tabular-nums">
        {left === 0 ? "You can try again now." : `${left} s left`}
      </p>
    </Alert>
  );
}
