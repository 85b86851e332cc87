"use client";

import { useMutation } from "@tanstack/react-query";
import { useRefreshModels } from "@/app/_components/models/summary/use-live-models";
import { ConfirmDialog } from "@/app/_kit/confirm-dialog";
import { useTRPC } from "@/app/_trpc/client";
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
  const { name, key, lastEdit } = provider;
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
    <ConfirmDialog
      title={`Delete ${name}?`}
      description={
        key.state === "stored" || key.state === "unreadable"
          ? "This also deletes its stored key. Runs and checks made with it are kept."
          : "Runs and checks made with it are kept."
      }
      action="Delete"
      running="Deleting…"
      needs="administer"
      isPending={remove.isPending}
      failure="Couldn't delete"
      error={remove.error}
      onConfirm={() => remove.mutate({ name, revision: lastEdit?.revision })}
      onClose={onClose}
    />
  );
}
