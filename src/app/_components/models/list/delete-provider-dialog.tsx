"use client";

import { useModelKeys } from "@/app/_components/models/summary/use-live-models";
import { ConfirmAction } from "@/app/_kit/confirm-dialog";
import { useTRPCClient } from "@/app/_trpc/client";
import type { ModelProviderSummary } from "@/lib/contract/model";

export interface DeleteProviderDialogProps {
  provider: ModelProviderSummary;
  onClose: () => void;
}

/** Asks first: a stored key cannot be brought back. */
export function DeleteProviderDialog({ provider, onClose }: DeleteProviderDialogProps) {
  const client = useTRPCClient();
  const stale = useModelKeys();
  const { name, key, lastEdit } = provider;
  return (
    <ConfirmAction
      title={`Delete ${name}?`}
      description={
        key.state === "stored" || key.state === "unreadable"
          ? "This also deletes its stored key. Runs and checks made with it are kept."
          : "Runs and checks made with it are kept."
      }
      action="Delete"
      running="Deleting…"
      needs="administer"
      failure="Couldn't delete"
      run={() => client.models.deleteProvider.mutate({ name, revision: lastEdit?.revision })}
      stale={stale}
      done={() => `${name} deleted`}
      onClose={onClose}
    />
  );
}
