"use client";

import { ConfirmDialog } from "@/app/_kit/confirm-dialog";
import { useAction } from "@/app/_kit/use-action";
import { useTRPC } from "@/app/_trpc/client";
import type { Person } from "@/lib/contract/account";

export interface RemovePersonDialogProps {
  person: Person;
  onClose: () => void;
}

/** Asks first: an account cannot be brought back. */
export function RemovePersonDialog({ person: { id, name, email }, onClose }: RemovePersonDialogProps) {
  const trpc = useTRPC();
  const remove = useAction(trpc.people.remove.mutationOptions(), {
    stale: [trpc.people.list.queryKey()],
    done: () => `${name} removed`,
    onDone: onClose,
  });
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
