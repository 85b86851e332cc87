import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { FormDialog } from "@/app/_kit/form-dialog";
import { ALL_QUERIES, useAction } from "@/app/_kit/use-action";
import { trpc } from "@/app/_trpc/client";
import { Checkbox } from "@/app/_ui/checkbox";
import type { ExecutionFilter } from "@/lib/contract/execution";
import { formatCount, formatPlural } from "@/lib/format";

interface DeleteDialogProps {
  filter: ExecutionFilter;
  /** The ids to delete, instead of all calls that match the filter. */
  selectedIds: readonly string[];
  onDeleted: () => void;
  onClose: () => void;
}

/** Deletes executions after a preview of how many these are. */
export function DeleteDialog({ filter, selectedIds, onDeleted, onClose }: DeleteDialogProps) {
  const [includePinned, setIncludePinned] = useState(false);
  const choice = { ...(selectedIds.length > 0 ? { ids: [...selectedIds] } : { filter }), includePinned };
  const { data: preview, error: previewError } = useQuery(trpc.executions.deletionPreview.queryOptions(choice));
  const deletion = useAction(trpc.executions.delete, {
    stale: ALL_QUERIES,
    onDone: ({ more }) => {
      // A long deletion is several requests, so that each of them ends in time.
      if (more) return deletion.mutate(choice);
      onDeleted();
      onClose();
    },
  });
  return (
    <FormDialog
      needs="administer"
      title={toTitle(preview)}
      description={
        <>
          Permanently deletes{" "}
          {selectedIds.length > 0 ? "the selected executions" : "all executions that match the current filter"}, with
          arguments, results, and approvals. Running calls and the logs of runs are kept.
          {preview !== undefined &&
            preview.keptPinned > 0 &&
            ` ${formatPlural(preview.keptPinned, "pinned execution")} ${preview.keptPinned === 1 ? "is" : "are"} kept.`}
        </>
      }
      variant="danger"
      submitLabel={preview?.count === 0 ? "Delete" : toTitle(preview)}
      pendingLabel="Deleting…"
      pending={deletion.isPending}
      disabled={preview === undefined || preview.count === 0}
      failure={deletion.error === null ? "Couldn't count the executions" : "Couldn't delete all executions"}
      problem={(deletion.error ?? previewError)?.message}
      onSubmit={() => deletion.mutate(choice)}
      onClose={onClose}
    >
      {(includePinned || (preview?.keptPinned ?? 0) > 0) && (
        <label className="flex items-center gap-1.5">
          <Checkbox checked={includePinned} onChange={setIncludePinned} />
          Also delete pinned executions
        </label>
      )}
    </FormDialog>
  );
}

function toTitle(preview: { count: number; more: boolean } | undefined): string {
  if (preview === undefined) return "Delete executions";
  if (preview.count === 0) return "No executions to delete";
  return preview.more
    ? `Delete ${formatCount(preview.count)}+ executions`
    : `Delete ${formatPlural(preview.count, "execution")}`;
}
