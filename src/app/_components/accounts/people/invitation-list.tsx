import { ROLE_LABELS } from "@/app/_components/accounts/summary/account-words";
import { Badge } from "@/app/_ui/badge";
import { Button } from "@/app/_ui/button";
import { DateOnly } from "@/app/_ui/date-only";
import { RelativeTime } from "@/app/_ui/relative-time";
import type { OpenLink } from "@/lib/contract/account";
import type { PeopleActions } from "./use-people-actions";

export interface InvitationListProps {
  invitations: readonly OpenLink[];
  actions: Pick<PeopleActions, "pending" | "withdraw">;
}

/** Unused invitation links. Their secrets are stored as hashes only. */
export function InvitationList({ invitations, actions }: InvitationListProps) {
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
