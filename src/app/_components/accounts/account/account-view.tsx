"use client";

import { useQuery, useSuspenseQuery } from "@tanstack/react-query";
import { useRouter } from "next/navigation";
import { useState } from "react";
import { SingleSignOnButton } from "@/app/_components/accounts/sign-in/single-sign-on-button";
import { describeBrowser, ROLE_ABOUT, ROLE_LABELS } from "@/app/_components/accounts/summary/account-words";
import { ConfirmAction } from "@/app/_kit/confirm-action";
import { EditForm } from "@/app/_kit/form/edit-form";
import { defineForm, text } from "@/app/_kit/form/fields";
import { ALL_QUERIES, useAction } from "@/app/_kit/use-action";
import { client, trpc } from "@/app/_trpc/client";
import { ActionProblem } from "@/app/_ui/action-problem";
import { Alert } from "@/app/_ui/alert";
import { Badge } from "@/app/_ui/badge";
import { Button, ButtonLink } from "@/app/_ui/button";
import { Card } from "@/app/_ui/card";
import { DateOnly } from "@/app/_ui/date-only";
import { EmptyState } from "@/app/_ui/empty-state";
import { FactList } from "@/app/_ui/fact-list";
import { RelativeTime } from "@/app/_ui/relative-time";
import type { LocalRecords, User } from "@/lib/contract/account";
import { formatCount, formatPlural } from "@/lib/format";
import { ConnectedClients } from "./connected-clients";
import { ConnectedServers } from "./connected-servers";
import { PasswordForm } from "./password-form";
import { TokensSection } from "./tokens-section";

export function AccountView({ signOnProblem = null }: { signOnProblem?: string | null }) {
  const { data: info } = useSuspenseQuery(trpc.system.info.queryOptions());
  const { data: user } = useSuspenseQuery(trpc.account.me.queryOptions());
  if (!info.accountMode.accounts || user === null) return <NoAccount />;
  const { signOnName, onlySignOn } = info.accountMode;
  return (
    <>
      <Profile user={user} />
      <LocalRecordsCard />
      {signOnName !== null && (
        <SingleSignOnCard name={signOnName} user={user} only={onlySignOn} problem={signOnProblem} />
      )}
      {!onlySignOn && (
        <Card title="Change password">
          <div className="px-3.5 py-3">
            {user.signIn?.includes("password") === false ? (
              <p className="text-mute">
                You have no password: you sign in with {signOnName ?? "single sign-on"}. To set one, ask an admin for a
                reset link.
              </p>
            ) : (
              <div className="max-w-md">
                <PasswordForm email={user.email} />
              </div>
            )}
          </div>
        </Card>
      )}
      <SessionList />
      {info.accountMode.clientSignIn && <ConnectedClients />}
      <ConnectedServers />
      <TokensSection />
    </>
  );
}

function Profile({ user }: { user: User }) {
  return (
    <Card title="Your account">
      <div className="flex flex-col gap-3 px-3.5 py-3">
        <FactList
          valueClass=""
          facts={[
            ["E-mail", user.email],
            ["Role", `${ROLE_LABELS[user.role]}. ${ROLE_ABOUT[user.role]}`],
          ]}
        />
        <div className="max-w-md">
          <NameForm user={user} />
        </div>
      </div>
    </Card>
  );
}

function NoAccount() {
  return (
    <EmptyState title="Accounts are off" action={<ButtonLink href="/settings/people">Switch accounts on</ButtonLink>}>
      Everyone who can open this server is its owner, so there is no password and no session. Programs need no API token
      either: tokens belong to people and need accounts.
    </EmptyState>
  );
}

/** Offers the records from before accounts were switched on to the user with the first account; hidden once they are claimed. */
function LocalRecordsCard() {
  const [asking, setAsking] = useState(false);
  const { data: records } = useQuery(trpc.account.localRecords.queryOptions());
  if (!records || records.calls + records.runs === 0) return null;
  return (
    <Card title="Calls from before accounts">
      <div className="flex flex-col items-start gap-3 px-3.5 py-3">
        <p>
          {describeRecords(records)} from before accounts were switched on are recorded under “Local owner”. If these
          are yours, they can be shown under your name.
        </p>
        <Button needs="administer" onClick={() => setAsking(true)}>
          Claim
        </Button>
      </div>
      {asking && (
        <ConfirmAction
          title="Claim the calls of the local owner?"
          description="The calls and runs are shown under your name, and the tools and favorites of “Local owner” become yours. This cannot be undone. The audit log keeps an entry."
          action="Claim"
          running="Claiming…"
          variant="primary"
          needs="administer"
          failure="Couldn't claim all calls"
          run={() => client.account.claimLocalRecords.mutate()}
          stale={ALL_QUERIES}
          done={({ calls, runs }) => `${formatPlural(calls, "call")} and ${formatPlural(runs, "run")} claimed`}
          onClose={() => setAsking(false)}
        />
      )}
    </Card>
  );
}

function describeRecords({ calls, runs, limit }: LocalRecords): string {
  const count = (number: number, one: string): string =>
    number < limit ? formatPlural(number, one) : `${formatCount(number)} or more ${one}s`;
  return [calls > 0 && count(calls, "call"), runs > 0 && count(runs, "run")].filter(Boolean).join(" and ");
}

interface SingleSignOnCardProps {
  /** The name of the identity provider. */
  name: string;
  user: User;
  /** True when passwords are switched off. */
  only: boolean;
  /** Why connecting did not succeed. */
  problem: string | null;
}

/** Shows whether the account is connected to an identity of the provider, and starts connecting it. */
function SingleSignOnCard({ name, user, only, problem }: SingleSignOnCardProps) {
  const connected = user.signIn?.includes("sso") === true;
  return (
    <Card title="Single sign-on">
      <div className="flex flex-col items-start gap-3 px-3.5 py-3">
        {problem !== null && <Alert live tone="bad" title={problem} />}
        {connected ? (
          <p>
            <Badge tone="ok" className="mr-1">
              Connected
            </Badge>
            You can sign in with {name}. Such a session ends after a day.
          </p>
        ) : (
          <>
            <p>
              Connect your account at {name} to sign in with it.{" "}
              {only ? "Passwords are switched off." : "Your password keeps working."}
            </p>
            <SingleSignOnButton size="sm" label={`Connect ${name}`} request={() => ({ connect: true })} />
          </>
        )}
      </div>
    </Card>
  );
}

const NAME_FORM = defineForm<{ name: string }>()({
  name: text("Name", {
    autoComplete: "name",
    required: true,
    maxLength: 100,
    hint: "Your calls are recorded under this name. Earlier calls keep the one they have.",
  }),
});

function NameForm({ user }: { user: User }) {
  const router = useRouter();
  return (
    <EditForm
      label="Name"
      submitLabel="Save name"
      failure="Couldn't save the name"
      table={NAME_FORM}
      initial={user}
      save={(input) => client.account.rename.mutate(input)}
      stale={[trpc.account.me, trpc.people.list]}
      done="Name saved"
      // Refreshes the page, since the name in the top bar is part of it.
      onSaved={() => router.refresh()}
    />
  );
}

/** The browsers that are signed in. This browser signs out in the top bar. */
function SessionList() {
  const { data: sessions } = useSuspenseQuery(trpc.account.sessions.queryOptions());
  const end = useAction(trpc.account.endSession, {
    stale: [trpc.account.sessions],
    done: "Session ended",
  });
  // The page follows to the sign-in page when its own session ends.
  const endAll = useAction(trpc.account.endAllSessions, { stale: [] });
  const failed = endAll.problem === null ? end : endAll;
  return (
    <Card
      title="Sessions"
      action={
        <Button disabled={endAll.isPending} onClick={() => endAll.mutate()}>
          Sign out everywhere
        </Button>
      }
    >
      <ActionProblem problem={failed.problem} onDismiss={failed.reset} className="m-3.5 mb-0" />
      <ul className="divide-y divide-line">
        {sessions.map(({ id, userAgent, address, createdAt, expiresAt, current }) => {
          const browser = describeBrowser(userAgent);
          return (
            <li key={id} className="flex items-center gap-3 px-3.5 py-2">
              <div className="min-w-0 flex-1 [overflow-wrap:anywhere]">
                <span className="mr-1.5 font-medium" title={userAgent ?? undefined}>
                  {browser}
                </span>
                {current && <Badge tone="ok">This browser</Badge>}
                <div className="text-mute text-xs">
                  {address !== null && <span className="font-mono">{address}</span>}
                  {address === null ? "Started" : ", started"} <RelativeTime at={createdAt} />, ends{" "}
                  <DateOnly at={expiresAt} />
                </div>
              </div>
              {!current && (
                <Button
                  disabled={end.isPending}
                  aria-label={`End session of ${browser}`}
                  onClick={() => end.mutate({ id })}
                >
                  End session
                </Button>
              )}
            </li>
          );
        })}
      </ul>
    </Card>
  );
}
