"use client";

import { useMutation } from "@tanstack/react-query";
import { ConfirmDialog } from "@/app/_kit/confirm-dialog";
import { useTRPC } from "@/app/_trpc/client";
import { useInvalidate } from "@/app/_trpc/use-invalidate";
import { useToast } from "@/app/_ui/toast";
import type { Person } from "@/lib/contract/account";

export interface RemovePersonDialogProps {
  person: Person;
  onClose: () => void;
}

/** Asks first: an account cannot be brought back. */
export function RemovePersonDialog({ person: { id, name, email }, onClose }: RemovePersonDialogProps) {
  const trpc = useTRPC();
  const toast = useToast();
  const refresh = useInvalidate(trpc.people.list.queryKey());
  const remove = useMutation(
    trpc.people.remove.mutationOptions({
      onSuccess: async () => {
        await refresh();
        toast({ title: `${name} removed`, tone: "ok" });
        onClose();
      },
    }),
  );
  return (
    <ConfirmDialog
      title={`Remove ${name}?`}
      description={`${email} is signed out and loses access, and the person's API tokens stop working. Executions keep the name. To keep the account, switch it off instead.`}
      action="Remove"
      running="Removing…"
      isPending={remove.isPending}
      failure="Couldn't remove"
      error={remove.error}
      onConfirm={() => remove.mutate({ id })}
      onClose={onClose}
    />
  );
}
