"use client";

import { useSuspenseQuery } from "@tanstack/react-query";
import { Plus } from "lucide-react";
import { useState } from "react";
import { ROLE_LABELS } from "@/app/_components/accounts/summary/account-words";
import { ConfirmAction } from "@/app/_kit/confirm-action";
import { EditForm } from "@/app/_kit/form/edit-form";
import { defineForm, type FieldLook, text } from "@/app/_kit/form/fields";
import { useAction } from "@/app/_kit/use-action";
import { client, trpc } from "@/app/_trpc/client";
import { useDenial } from "@/app/_ui/access";
import { ActionProblem } from "@/app/_ui/action-problem";
import { Alert } from "@/app/_ui/alert";
import { Badge } from "@/app/_ui/badge";
import { Button } from "@/app/_ui/button";
import { Card } from "@/app/_ui/card";
import { DateOnly } from "@/app/_ui/date-only";
import { EmptyState } from "@/app/_ui/empty-state";
import { onDemand } from "@/app/_ui/on-demand";
import { RelativeTime } from "@/app/_ui/relative-time";
import type { AccessRules } from "@/lib/contract/access-rules";
import type { OpenLink, User } from "@/lib/contract/account";
import { PeopleTable } from "./people-table";
import { ServiceAccountsCard } from "./service-accounts-card";
import { type PeopleActions, usePeopleActions } from "./use-people-actions";

const InviteDialog = onDemand(() => import("./invite-dialog"), "InviteDialog");
const UserTokensDialog = onDemand(() => import("./user-tokens-dialog"), "UserTokensDialog");
const ResetDialog = onDemand(() => import("./reset-dialog"), "ResetDialog");
/** Below the users, and only where there are accounts. */
const ProvisioningCard = onDemand(() => import("./provisioning-card"), "ProvisioningCard", { onServer: true });

/** The list of users of this server, for admins. */
export function PeopleView() {
  const denial = useDenial("administer");
  const { data: info } = useSuspenseQuery(trpc.system.info.queryOptions());
  if (denial !== null) return <EmptyState title="Only admins can manage people">{denial}.</EmptyState>;
  const { accounts, decidedBy, pending, signOnName, signOnRoles, onlySignOn } = info.accountMode;
  if (!accounts) return <AccountsOff decidedBy={decidedBy} pending={pending} />;
  return <PeopleLists rolesFrom={signOnRoles ? signOnName : null} signOnName={signOnName} onlySignOn={onlySignOn} />;
}

interface PeopleListsProps {
  /** The identity provider that gives users their roles; null without one. */
  rolesFrom: string | null;
  signOnName: string | null;
  onlySignOn: boolean;
}

function PeopleLists({ rolesFrom, signOnName, onlySignOn }: PeopleListsProps) {
  const { data: users } = useSuspenseQuery(trpc.people.list.queryOptions());
  const { data: invitations } = useSuspenseQuery(trpc.people.invitations.queryOptions());
  const actions = usePeopleActions();
  const [inviting, setInviting] = useState(false);
  const [removing, setRemoving] = useState<User | null>(null);
  const [tokensOf, setTokensOf] = useState<User | null>(null);
  const invite = (
    <Button icon={Plus} variant="primary" onClick={() => setInviting(true)}>
      Invite
    </Button>
  );
  return (
    <>
      <ActionProblem problem={actions.problem} onDismiss={actions.dismiss} />
      <Card
        title="People"
        about={
          rolesFrom &&
          `People who sign in with ${rolesFrom} get their role from it at each sign-in: a role chosen here lasts until then.`
        }
        action={invite}
      >
        <PeopleTable
          people={users}
          actions={actions}
          onlySignOn={onlySignOn}
          onRemove={setRemoving}
          onShowTokens={setTokensOf}
        />
      </Card>
      <Card title="Open invitations">
        <InvitationList invitations={invitations} actions={actions} />
      </Card>
      <ServiceAccountsCard people={users} />
      <ProvisioningCard />
      <AccessRulesCard signOnName={signOnName} />
      {inviting && <InviteDialog needsEmail={onlySignOn} onClose={() => setInviting(false)} />}
      {tokensOf !== null && <UserTokensDialog user={tokensOf} onClose={() => setTokensOf(null)} />}
      {removing !== null && (
        <ConfirmAction
          title={`Remove ${removing.name}?`}
          description={`${removing.email} is signed out and loses access, and the user's API tokens stop working. Executions keep the name. To keep the account, switch it off instead.`}
          action="Remove"
          running="Removing…"
          failure="Couldn't remove"
          run={() => client.people.remove.mutate({ id: removing.id })}
          stale={[trpc.people.list]}
          done={`${removing.name} removed`}
          onClose={() => setRemoving(null)}
        />
      )}
      {actions.reset !== null && <ResetDialog reset={actions.reset} actions={actions} />}
    </>
  );
}

interface InvitationListProps {
  invitations: readonly OpenLink[];
  actions: Pick<PeopleActions, "pending" | "withdraw">;
}

/** Unused invitation links. Their secrets are stored as hashes only. */
function InvitationList({ invitations, actions }: InvitationListProps) {
  if (invitations.length === 0) return <p className="px-3.5 py-3 text-mute">No open invitations.</p>;
  return (
    <ul className="divide-y divide-line">
      {invitations.map((invitation) => {
        const { id, email, role, creatorName, createdAt, expiresAt } = invitation;
        const name = email ?? "Anyone with the link";
        return (
          <li key={id} className="flex items-center gap-3 px-3.5 py-2">
            <div className="min-w-0 flex-1 [overflow-wrap:anywhere]">
              <span className="mr-1.5 font-medium">{name}</span>
              {role !== null && <Badge>{ROLE_LABELS[role]}</Badge>}
              <div className="text-mute text-xs">
                Created by <bdi>{creatorName}</bdi> <RelativeTime at={createdAt} />, expires <DateOnly at={expiresAt} />
              </div>
            </div>
            <Button
              disabled={actions.pending}
              aria-label={`Withdraw the invitation for ${name}`}
              onClick={() => actions.withdraw(id)}
            >
              Withdraw
            </Button>
          </li>
        );
      })}
    </ul>
  );
}

interface AccountsOffProps {
  /** The setting that decided that this server has no accounts. */
  decidedBy: "environment" | "setting" | "address";
  /** Accounts are already switched on, but need the next start of the server. */
  pending: boolean;
}

/** Shown while everyone who reaches the server is its owner; offers to change that. */
function AccountsOff({ decidedBy, pending }: AccountsOffProps) {
  const switchOn = useAction(trpc.people.switchOn, { stale: [] });
  return (
    <Card title="Accounts are off">
      <div className="flex flex-col gap-3 px-3.5 py-3">
        <p>
          Everyone who can open this server may do everything, and all calls are recorded under one name. That is fine
          while it listens on this machine only.
        </p>
        <p>
          With accounts on, people sign in, have a role (viewer, operator, editor or admin) and can create API tokens
          for programs. Executions say who made each call.
        </p>
        {decidedBy === "environment" ? (
          <p className="text-mute">
            Set by <code className="font-mono text-xs">TOOLROOM_AUTH=off</code> in the server's environment. To switch
            accounts on, remove it or set it to <code className="font-mono text-xs">on</code>, and restart.
          </p>
        ) : pending || switchOn.isSuccess ? (
          <Alert live tone="accent" title="Restart the server to switch accounts on">
            <p>
              At its next start the server prints a link that creates the first account, an admin. Until that start
              nothing changes.
            </p>
          </Alert>
        ) : (
          <>
            <p className="text-mute">
              Takes effect at the next start of the server, which then prints a link that creates the first account.
              Programs that use the API or <code className="font-mono text-xs">/mcp</code> need a token from then on. To
              go back, start with <code className="font-mono text-xs">TOOLROOM_AUTH=off</code>.
            </p>
            <ActionProblem problem={switchOn.problem} onDismiss={switchOn.reset} />
            <Button
              size="md"
              variant="primary"
              className="self-start"
              disabled={switchOn.isPending}
              onClick={() => switchOn.mutate()}
            >
              Switch accounts on
            </Button>
          </>
        )}
      </div>
    </Card>
  );
}

const MAX_DAYS = 3650;

/** An empty text is no limit. */
const days = (label: string, look: FieldLook) =>
  text(label, {
    inputMode: "numeric",
    short: true,
    write: (typed) => (typed.trim() === "" ? null : Number(typed)),
    check: (typed) => {
      const isDays = /^\s*[1-9]\d{0,3}\s*$/.test(typed) && Number(typed) <= MAX_DAYS;
      return isDays || typed.trim() === "" ? [] : [`Enter a whole number from 1 to ${MAX_DAYS}, or leave it empty`];
    },
    ...look,
  });

/** @param provider the name of the identity provider */
const toForm = (provider: string) =>
  defineForm<AccessRules>()({
    maxTokenDays: days("Greatest age of new API tokens (days)", {
      placeholder: "No limit",
      hint: "Existing tokens stay as they are.",
    }),
    absentDays: days("Switch off absent accounts after (days)", {
      placeholder: "Never",
      hint: `Accounts that ${provider} has not signed in for so long lose sessions, tokens and connected clients. The last admin stays.`,
    }),
  });

/** How long API tokens are valid, and when absent accounts are switched off. @param signOnName null without single sign-on */
function AccessRulesCard({ signOnName }: { signOnName: string | null }) {
  const { data: state } = useSuspenseQuery(trpc.accessRules.get.queryOptions());
  return (
    <Card title="Access rules">
      <div className="px-3.5 py-3">
        <EditForm
          key={state.revision}
          label="Access rules"
          needs="administer"
          variant="primary"
          size="md"
          submitLabel="Save"
          failure="Couldn't save the access rules"
          table={toForm(signOnName ?? "single sign-on")}
          initial={state.rules}
          root="rules"
          save={(rules) => client.accessRules.save.mutate({ rules, revision: state.revision })}
          stale={[trpc.accessRules.get, trpc.system.info]}
          done="Access rules saved"
        />
      </div>
    </Card>
  );
}
