"use client";

import { useSuspenseQuery } from "@tanstack/react-query";
import { ROLE_ABOUT, ROLE_LABELS } from "@/app/_components/accounts/summary/account-words";
import { useTRPC } from "@/app/_trpc/client";
import { Badge } from "@/app/_ui/badge";
import { buttonClass } from "@/app/_ui/button";
import { Card } from "@/app/_ui/card";
import { EmptyState } from "@/app/_ui/empty-state";
import { Link } from "@/app/_ui/link";
import type { Person } from "@/lib/contract/account";
import { ConnectedClients } from "./connected-clients";
import { ConnectedServers } from "./connected-servers";
import { LocalRecordsCard } from "./local-records-card";
import { NameForm } from "./name-form";
import { PasswordForm } from "./password-form";
import { SessionList } from "./session-list";
import { SingleSignOnCard } from "./single-sign-on-card";
import { TokensSection } from "./tokens-section";

/** The account of the person who is signed in. */
export function AccountView({ signOnProblem = null }: { signOnProblem?: string | null }) {
  const trpc = useTRPC();
  const { data: info } = useSuspenseQuery(trpc.system.info.queryOptions());
  const { data: person } = useSuspenseQuery(trpc.account.me.queryOptions());
  if (!info.accountMode.accounts || person === null) return <NoAccount />;
  const { signOnName, onlySignOn } = info.accountMode;
  return (
    <div className="flex max-w-4xl flex-col gap-4 p-4">
      <Profile person={person} />
      <LocalRecordsCard />
      {signOnName !== null && (
        <SingleSignOnCard name={signOnName} person={person} only={onlySignOn} problem={signOnProblem} />
      )}
      {!onlySignOn && (
        <Card title="Change password">
          <div className="px-3.5 py-3">
            {person.signIn?.includes("password") === false ? (
              <p className="text-mute">
                You have no password: you sign in with {signOnName ?? "single sign-on"}. To set one, ask an admin for a
                reset link.
              </p>
            ) : (
              <PasswordForm email={person.email} />
            )}
          </div>
        </Card>
      )}
      <SessionList />
      {info.accountMode.clientSignIn && <ConnectedClients />}
      <ConnectedServers />
      <TokensSection />
    </div>
  );
}

function Profile({ person }: { person: Person }) {
  return (
    <Card title="Your account">
      <div className="flex flex-col gap-3 px-3.5 py-3">
        <dl className="grid gap-x-6 gap-y-1.5 sm:grid-cols-[8rem_minmax(0,1fr)]">
          <dt className="text-mute">E-mail</dt>
          <dd className="[overflow-wrap:anywhere]">{person.email}</dd>
          <dt className="text-mute">Role</dt>
          <dd>
            <Badge className="mr-1">{ROLE_LABELS[person.role]}</Badge>
            <span className="text-mute text-xs">{ROLE_ABOUT[person.role]}</span>
          </dd>
        </dl>
        <NameForm person={person} />
      </div>
    </Card>
  );
}

function NoAccount() {
  return (
    <EmptyState
      title="Accounts are off"
      action={
        <Link href="/settings/people" className={buttonClass()}>
          Switch accounts on
        </Link>
      }
    >
      Everyone who can open this server is its owner, so there is no password and no session. Programs need no API token
      either: tokens belong to people and need accounts.
    </EmptyState>
  );
}
