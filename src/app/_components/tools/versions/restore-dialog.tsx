"use client";

import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useTRPC } from "@/app/_trpc/client";
import { Alert } from "@/app/_ui/alert";
import { Button } from "@/app/_ui/button";
import { Dialog } from "@/app/_ui/dialog";
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
    <Dialog
      open
      onOpenChange={(open) => !open && onClose()}
      title={`Restore version ${number}?`}
      description={`The next call of ${toolName} runs this definition. It becomes a new version; the others stay in the history.`}
    >
      {restore.error !== null && (
        <Alert live tone="bad" title="Couldn't restore the version" className="mb-3">
          {restore.error.message}
        </Alert>
      )}
      <div className="flex justify-end gap-2">
        <Button onClick={onClose}>Cancel</Button>
        <Button
          needs="edit"
          variant="primary"
          disabled={restore.isPending}
          onClick={() => restore.mutate({ name: toolName, number })}
        >
          {restore.isPending ? "Restoring…" : "Restore"}
        </Button>
      </div>
    </Dialog>
  );
}
