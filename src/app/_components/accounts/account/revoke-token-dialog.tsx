"use client";

import { useMutation } from "@tanstack/react-query";
import { useTRPC } from "@/app/_trpc/client";
import { useInvalidate } from "@/app/_trpc/use-invalidate";
import { Alert } from "@/app/_ui/alert";
import { Button } from "@/app/_ui/button";
import { Dialog } from "@/app/_ui/dialog";
import { useToast } from "@/app/_ui/toast";
import type { ApiToken } from "@/lib/contract";

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
    <Dialog
      open
      onOpenChange={(open) => !open && onClose()}
      title={`Revoke ${name}?`}
      description={`Programs that use ${start}… are refused at once. A revoked token cannot be brought back.`}
    >
      {revoke.error !== null && (
        <Alert live tone="bad" title="Couldn't revoke" className="mb-3">
          {revoke.error.message}
        </Alert>
      )}
      <div className="flex justify-end gap-2">
        <Button onClick={onClose}>Cancel</Button>
        <Button variant="danger" disabled={revoke.isPending} onClick={() => revoke.mutate({ id })}>
          {revoke.isPending ? "Revoking…" : "Revoke"}
        </Button>
      </div>
    </Dialog>
  );
}
