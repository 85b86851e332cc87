"use client";

import { useSuspenseQuery } from "@tanstack/react-query";
import { Plus } from "lucide-react";
import { useState } from "react";
import { ROLE_LABELS } from "@/app/_components/accounts/summary/account-words";
import { useTRPC, useTRPCClient } from "@/app/_trpc/client";
import { useDenial } from "@/app/_ui/access";
import { ActionProblem } from "@/app/_ui/action-problem";
import { Badge } from "@/app/_ui/badge";
import { Button } from "@/app/_ui/button";
import { Card } from "@/app/_ui/card";
import { DateOnly } from "@/app/_ui/date-only";
import { EmptyState } from "@/app/_ui/empty-state";
import { onDemand } from "@/app/_ui/on-demand";
import { RelativeTime } from "@/app/_ui/relative-time";
import type { OpenLink, Person } from "@/lib/contract/account";
import { AccountsOff } from "./accounts-off";
import { PeopleTable } from "./people-table";
import { type PeopleActions, usePeopleActions } from "./use-people-actions";

const InviteDialog = onDemand(() => import("./invite-dialog").then((module) => module.InviteDialog));
const PersonTokensDialog = onDemand(() => import("./person-tokens-dialog").then((module) => module.PersonTokensDialog));
const ResetDialog = onDemand(() => import("./reset-dialog").then((module) => module.ResetDialog));
const ConfirmAction = onDemand(() => import("@/app/_kit/confirm-dialog").then((module) => module.ConfirmAction));

/** Lists who may use this server; for admins. */
export function PeopleView() {
  const trpc = useTRPC();
  const denial = useDenial("administer");
  const { data: info } = useSuspenseQuery(trpc.system.info.queryOptions());
  if (denial !== null) return <EmptyState title="Only admins can manage people">{denial}.</EmptyState>;
  const { accounts, decidedBy, pending, signOnName, signOnRoles, onlySignOn } = info.accountMode;
  if (!accounts) return <AccountsOff decidedBy={decidedBy} pending={pending} />;
  return <PeopleLists rolesFrom={signOnRoles ? signOnName : null} onlySignOn={onlySignOn} />;
}

function PeopleLists({ rolesFrom, onlySignOn }: { rolesFrom: string | null; onlySignOn: boolean }) {
  const trpc = useTRPC();
  const client = useTRPCClient();
  const { data: people } = useSuspenseQuery(trpc.people.list.queryOptions());
  const { data: invitations } = useSuspenseQuery(trpc.people.invitations.queryOptions());
  const actions = usePeopleActions();
  const [inviting, setInviting] = useState(false);
  const [removing, setRemoving] = useState<Person | null>(null);
  const [tokensOf, setTokensOf] = useState<Person | null>(null);
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
        <PeopleTable {...{ people, actions, onlySignOn }} onRemove={setRemoving} onShowTokens={setTokensOf} />
      </Card>
      <Card title="Open invitations">
        <InvitationList invitations={invitations} actions={actions} />
      </Card>
      {inviting && <InviteDialog needsEmail={onlySignOn} onClose={() => setInviting(false)} />}
      {tokensOf !== null && <PersonTokensDialog person={tokensOf} onClose={() => setTokensOf(null)} />}
      {removing !== null && (
        <ConfirmAction
          title={`Remove ${removing.name}?`}
          description={`${removing.email} is signed out and loses access, and the person's API tokens stop working. Executions keep the name. To keep the account, switch it off instead.`}
          action="Remove"
          running="Removing…"
          failure="Couldn't remove"
          run={() => client.people.remove.mutate({ id: removing.id })}
          stale={[trpc.people.list.queryKey()]}
          done={() => `${removing.name} removed`}
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
