"use client";

import { ConfirmDialog } from "@/app/_kit/confirm-dialog";
import { useAction } from "@/app/_kit/use-action";
import { useTRPC } from "@/app/_trpc/client";

interface RestoreDialogProps {
  toolName: string;
  number: number;
  onClose: () => void;
  onRestored: () => void;
}

/** Asks before an earlier version becomes the tool's definition. */
export function RestoreDialog({ toolName, number, onClose, onRestored }: RestoreDialogProps) {
  const trpc = useTRPC();
  const restore = useAction(trpc.tools.restoreVersion.mutationOptions(), {
    stale: [trpc.tools.pathKey()],
    done: () => `${toolName}: version ${number} restored`,
    onDone: () => {
      onClose();
      onRestored();
    },
  });
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
