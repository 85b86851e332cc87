"use client";

import { ConfirmDialog } from "@/app/_kit/confirm-dialog";
import { useAction } from "@/app/_kit/use-action";
import { useTRPC } from "@/app/_trpc/client";
import type { ApiToken } from "@/lib/contract/account";

export interface RevokeTokenDialogProps {
  token: ApiToken;
  onClose: () => void;
}

/** Asks first: a revoked token cannot be brought back. */
export function RevokeTokenDialog({ token: { id, name, start }, onClose }: RevokeTokenDialogProps) {
  const trpc = useTRPC();
  const revoke = useAction(trpc.tokens.revoke.mutationOptions(), {
    stale: [trpc.tokens.list.queryKey()],
    done: () => `${name} revoked`,
    onDone: onClose,
  });
  return (
    <ConfirmDialog
      title={`Revoke ${name}?`}
      description={`Programs that use ${start}… are refused at once. A revoked token cannot be brought back.`}
      action="Revoke"
      running="Revoking…"
      isPending={revoke.isPending}
      failure="Couldn't revoke"
      error={revoke.error}
      onConfirm={() => revoke.mutate({ id })}
      onClose={onClose}
    />
  );
}
