import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { RevokeToken, TokenRow } from "@/app/_components/accounts/account/token-row";
import { trpc } from "@/app/_trpc/client";
import { ActionProblem } from "@/app/_ui/action-problem";
import { Button } from "@/app/_ui/button";
import { Dialog } from "@/app/_ui/dialog";
import { Skeleton } from "@/app/_ui/skeleton";
import type { ApiToken, User } from "@/lib/contract/account";

interface UserTokensDialogProps {
  /** The user or service account that owns the tokens. */
  user: Pick<User, "id" | "name">;
  onClose: () => void;
}

/** A colleague's API tokens, which an admin revokes one by one. */
export function UserTokensDialog({ user, onClose }: UserTokensDialogProps) {
  const tokens = useQuery(trpc.tokens.list.queryOptions());
  const [revoking, setRevoking] = useState<ApiToken | null>(null);
  const owned = tokens.data?.filter(({ ownerId }) => ownerId === user.id);
  if (revoking !== null) return <RevokeToken token={revoking} onClose={() => setRevoking(null)} />;
  return (
    <Dialog
      onClose={onClose}
      title={`API tokens of ${user.name}`}
      description="Programs use them in this user's name. They survive a new password and end when the user is switched off."
    >
      <div className="flex flex-col gap-4">
        {tokens.error !== null && <ActionProblem problem={tokens.error.message} onDismiss={() => tokens.refetch()} />}
        {owned === undefined ? (
          tokens.error === null && <Skeleton className="h-12" />
        ) : owned.length === 0 ? (
          <p className="text-mute">No API tokens.</p>
        ) : (
          <ul aria-label="API tokens" className="divide-y divide-line rounded-md border border-line">
            {owned.map((token) => (
              <TokenRow key={token.id} token={token} own onRevoke={() => setRevoking(token)} />
            ))}
          </ul>
        )}
        <Button size="md" onClick={onClose} className="self-end">
          Done
        </Button>
      </div>
    </Dialog>
  );
}
