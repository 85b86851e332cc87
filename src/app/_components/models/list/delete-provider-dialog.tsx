"use client";

import { useMutation } from "@tanstack/react-query";
import { useRefreshModels } from "@/app/_components/models/summary/use-live-models";
import { useTRPC } from "@/app/_trpc/client";
import { Alert } from "@/app/_ui/alert";
import { Button } from "@/app/_ui/button";
import { Dialog } from "@/app/_ui/dialog";
import { useToast } from "@/app/_ui/toast";
import type { ModelProviderSummary } from "@/lib/contract/model";

export interface DeleteProviderDialogProps {
  provider: ModelProviderSummary;
  onClose: () => void;
}

/** Asks first: a stored key cannot be brought back. */
export function DeleteProviderDialog({ provider, onClose }: DeleteProviderDialogProps) {
  const trpc = useTRPC();
  const toast = useToast();
  const refresh = useRefreshModels();
  const { name, key } = provider;
  const remove = useMutation(
    trpc.models.deleteProvider.mutationOptions({
      onSuccess: async () => {
        await refresh();
        toast({ title: `${name} deleted`, tone: "ok" });
        onClose();
      },
    }),
  );
  return (
    <Dialog
      open
      onOpenChange={(open) => !open && onClose()}
      title={`Delete ${name}?`}
      description={
        key.state === "stored" || key.state === "unreadable"
          ? "This also deletes its stored key. Runs and checks made with it are kept."
          : "Runs and checks made with it are kept."
      }
    >
      {remove.error !== null && (
        <Alert live tone="bad" title="Couldn't delete" className="mb-3">
          {remove.error.message}
        </Alert>
      )}
      <div className="flex justify-end gap-2">
        <Button onClick={onClose}>Cancel</Button>
        <Button needs="administer" variant="danger" disabled={remove.isPending} onClick={() => remove.mutate({ name })}>
          {remove.isPending ? "Deleting…" : "Delete"}
        </Button>
      </div>
    </Dialog>
  );
}
