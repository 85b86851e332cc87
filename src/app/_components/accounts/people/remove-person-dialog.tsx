"use client";

import { useMutation } from "@tanstack/react-query";
import { useTRPC } from "@/app/_trpc/client";
import { useInvalidate } from "@/app/_trpc/use-invalidate";
import { Alert } from "@/app/_ui/alert";
import { Button } from "@/app/_ui/button";
import { Dialog } from "@/app/_ui/dialog";
import { useToast } from "@/app/_ui/toast";
import type { Person } from "@/lib/contract";

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
    <Dialog
      open
      onOpenChange={(open) => !open && onClose()}
      title={`Remove ${name}?`}
      description={`${email} is signed out and loses access, and the person's API tokens stop working. Executions keep the name. To keep the account, switch it off instead.`}
    >
      {remove.error !== null && (
        <Alert live tone="bad" title="Couldn't remove" className="mb-3">
          {remove.error.message}
        </Alert>
      )}
      <div className="flex justify-end gap-2">
        <Button onClick={onClose}>Cancel</Button>
        <Button variant="danger" disabled={remove.isPending} onClick={() => remove.mutate({ id })}>
          {remove.isPending ? "Removing…" : "Remove"}
        </Button>
      </div>
    </Dialog>
  );
}
