"use client";

import { useSuspenseQuery } from "@tanstack/react-query";
import { Plus } from "lucide-react";
import dynamic from "next/dynamic";
import { useState } from "react";
import { useTRPC } from "@/app/_trpc/client";
import { useDenial } from "@/app/_ui/access";
import { ActionProblem } from "@/app/_ui/action-problem";
import { Button } from "@/app/_ui/button";
import { Card } from "@/app/_ui/card";
import { EmptyState } from "@/app/_ui/empty-state";
import type { Person } from "@/lib/contract/account";
import { AccountsOff } from "./accounts-off";
import { InvitationList } from "./invitation-list";
import { PeopleTable } from "./people-table";
import { usePeopleActions } from "./use-people-actions";

const InviteDialog = dynamic(() => import("./invite-dialog").then((module) => module.InviteDialog), { ssr: false });
const PersonTokensDialog = dynamic(() => import("./person-tokens-dialog").then((module) => module.PersonTokensDialog), {
  ssr: false,
});
const ResetDialog = dynamic(() => import("./reset-dialog").then((module) => module.ResetDialog), { ssr: false });
const RemovePersonDialog = dynamic(() => import("./remove-person-dialog").then((module) => module.RemovePersonDialog), {
  ssr: false,
});

/** Who may use this server; for admins. */
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
  const { data: people } = useSuspenseQuery(trpc.people.list.queryOptions());
  const { data: invitations } = useSuspenseQuery(trpc.people.invitations.queryOptions());
  const actions = usePeopleActions();
  const [inviting, setInviting] = useState(false);
  const [removing, setRemoving] = useState<Person | null>(null);
  const [tokensOf, setTokensOf] = useState<Person | null>(null);
  const invite = (
    <Button variant="primary" onClick={() => setInviting(true)}>
      <Plus aria-hidden size={13} strokeWidth={1.6} />
      Invite
    </Button>
  );
  return (
    <div className="flex max-w-5xl flex-col gap-4 p-4">
      <ActionProblem problem={actions.problem} onDismiss={actions.dismiss} />
      <Card title="People" action={invite}>
        {rolesFrom !== null && (
          <p className="border-line border-b px-3.5 py-2 text-mute text-xs">
            People who sign in with {rolesFrom} get their role from it at each sign-in: a role chosen here lasts until
            then.
          </p>
        )}
        <PeopleTable {...{ people, actions, onlySignOn }} onRemove={setRemoving} onShowTokens={setTokensOf} />
      </Card>
      <Card title="Open invitations">
        <InvitationList invitations={invitations} actions={actions} />
      </Card>
      {inviting && <InviteDialog needsEmail={onlySignOn} onClose={() => setInviting(false)} />}
      {tokensOf !== null && <PersonTokensDialog person={tokensOf} onClose={() => setTokensOf(null)} />}
      {removing !== null && <RemovePersonDialog person={removing} onClose={() => setRemoving(null)} />}
      {actions.reset !== null && <ResetDialog reset={actions.reset} actions={actions} />}
    </div>
  );
}
