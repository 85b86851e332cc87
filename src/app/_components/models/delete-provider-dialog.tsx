"use client";

import { useMutation } from "@tanstack/react-query";
import { useTRPC } from "@/app/_trpc/client";
import { Alert } from "@/app/_ui/alert";
import { Button } from "@/app/_ui/button";
import { Dialog } from "@/app/_ui/dialog";
import { useToast } from "@/app/_ui/toast";
import type { ModelProviderSummary } from "@/lib/contract/model";
import { useRefreshModels } from "./use-live-models";

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
          ? "Its stored key is deleted as well and cannot be brought back. Runs and checks made with it stay."
          : "Runs and checks made with it stay."
      }
    >
      {remove.error !== null && (
        <Alert live tone="bad" title="It was not deleted" className="mb-3">
          {remove.error.message}
        </Alert>
      )}
      <div className="flex justify-end gap-2">
        <Button onClick={onClose}>Keep it</Button>
        <Button variant="danger" disabled={remove.isPending} onClick={() => remove.mutate({ name })}>
          {remove.isPending ? "Deleting…" : "Delete"}
        </Button>
      </div>
    </Dialog>
  );
}
