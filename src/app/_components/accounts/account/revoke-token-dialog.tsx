"use client";

import { useMutation } from "@tanstack/react-query";
import { ConfirmDialog } from "@/app/_kit/confirm-dialog";
import { useTRPC } from "@/app/_trpc/client";
import { useInvalidate } from "@/app/_trpc/use-invalidate";
import { useToast } from "@/app/_ui/toast";
import type { ApiToken } from "@/lib/contract/account";

export interface RevokeTokenDialogProps {
  token: ApiToken;
  onClose: () => void;
}

/** Asks first: a revoked token cannot be brought back. */
export function RevokeTokenDialog({ token: { id, name, start }, onClose }: RevokeTokenDialogProps) {
  const trpc = useTRPC();
  const toast = useToast();
  const refresh = useInvalidate(trpc.tokens.list.queryKey());
  const revoke = useMutation(
    trpc.tokens.revoke.mutationOptions({
      onSuccess: async () => {
        await refresh();
        toast({ title: `${name} revoked`, tone: "ok" });
        onClose();
      },
    }),
  );
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
