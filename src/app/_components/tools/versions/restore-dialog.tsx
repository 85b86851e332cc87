"use client";

import { useMutation, useQueryClient } from "@tanstack/react-query";
import { ConfirmDialog } from "@/app/_kit/confirm-dialog";
import { useTRPC } from "@/app/_trpc/client";
import { useToast } from "@/app/_ui/toast";

interface RestoreDialogProps {
  toolName: string;
  number: number;
  onClose: () => void;
  onRestored: () => void;
}

/** Asks before an earlier version becomes the tool's definition. */
export function RestoreDialog({ toolName, number, onClose, onRestored }: RestoreDialogProps) {
  const trpc = useTRPC();
  const queryClient = useQueryClient();
  const toast = useToast();
  const restore = useMutation(
    trpc.tools.restoreVersion.mutationOptions({
      onSuccess: () => {
        toast({ title: `${toolName}: version ${number} restored`, tone: "ok" });
        onClose();
        onRestored();
      },
      onSettled: () => queryClient.invalidateQueries({ queryKey: trpc.tools.pathKey() }),
    }),
  );
  return (
    <ConfirmDialog
      title={`Restore version ${number}?`}
      description={`The next call of ${toolName} runs this definition. It becomes a new version; the others stay in the history.`}
      action="Restore"
      running="Restoring…"
      variant="primary"
      needs="edit"
      isPending={restore.isPending}
      failure="Couldn't restore the version"
      error={restore.error}
      onConfirm={() => restore.mutate({ name: toolName, number })}
      onClose={onClose}
    />
  );
}
