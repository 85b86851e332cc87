"use client";

import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { Trash2 } from "lucide-react";
import { useState } from "react";
import { ConfirmDialog } from "@/app/_kit/confirm-dialog";
import { useTRPC } from "@/app/_trpc/client";
import { Button } from "@/app/_ui/button";
import { CHECKBOX } from "@/app/_ui/checkbox";
import type { ExecutionFilter } from "@/lib/contract";
import { formatCount } from "@/lib/format";

interface DeleteButtonProps {
  filter: ExecutionFilter;
  /** Instead of all that match the filter. */
  selectedIds: readonly string[];
  onDeleted: () => void;
}

/** Deletes the selected executions, or all that match the filter, after a preview of how many these are. */
export function DeleteButton(props: DeleteButtonProps) {
  const [open, setOpen] = useState(false);
  return (
    <>
      <Button needs="administer" onClick={() => setOpen(true)}>
        <Trash2 aria-hidden size={13} strokeWidth={1.6} />
        Delete…
      </Button>
      {open && <DeleteDialog {...props} onClose={() => setOpen(false)} />}
    </>
  );
}

function DeleteDialog({ filter, selectedIds, onDeleted, onClose }: DeleteButtonProps & { onClose: () => void }) {
  const trpc = useTRPC();
  const client = useQueryClient();
  const [includePinned, setIncludePinned] = useState(false);
  const choice = { ...(selectedIds.length > 0 ? { ids: [...selectedIds] } : { filter }), includePinned };
  const { data: preview } = useQuery(trpc.executions.deletionPreview.queryOptions(choice));
  const deletion = useMutation(
    trpc.executions.delete.mutationOptions({
      async onSuccess({ more }) {
        await client.invalidateQueries();
        // A long deletion is several requests, so that each of them ends in time.
        if (more) deletion.mutate(choice);
        else {
          onDeleted();
          onClose();
        }
      },
    }),
  );
  const count = preview === undefined ? "…" : `${formatCount(preview.count)}${preview.more ? "+" : ""}`;
  return (
    <ConfirmDialog
      needs="administer"
      title={`Delete ${count} executions`}
      description={
        <>
          {selectedIds.length > 0 ? "The selected executions" : "All executions that match the filter"} are deleted for
          good, with arguments, results and approvals. Running calls stay. Runs keep their own log.
          {preview !== undefined &&
            preview.keptPinned > 0 &&
            ` ${formatCount(preview.keptPinned)} pinned ones are kept.`}
          <label className="mt-3 flex items-center gap-1.5">
            <input
              type="checkbox"
              className={CHECKBOX}
              checked={includePinned}
              onChange={({ target }) => setIncludePinned(target.checked)}
            />
            Delete pinned executions too
          </label>
        </>
      }
      action="Delete"
      running="Deleting…"
      isPending={deletion.isPending || preview === undefined || preview.count === 0}
      failure="Couldn't delete all of them"
      error={deletion.error}
      onConfirm={() => deletion.mutate(choice)}
      onClose={onClose}
    />
  );
}
