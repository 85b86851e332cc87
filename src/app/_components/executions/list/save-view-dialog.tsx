"use client";

import { useState } from "react";
import { DraftField } from "@/app/_kit/form/draft-field";
import { FormDialog } from "@/app/_kit/form-dialog";
import { useAction } from "@/app/_kit/use-action";
import { useTRPC } from "@/app/_trpc/client";
import type { SavedView } from "@/lib/contract/saved-view";

export interface SaveViewDialogProps {
  /** The view that gets another name; null for a new one. */
  view: SavedView | null;
  /** The filters of the list. */
  query: string;
  onSaved: (view: SavedView) => void;
  onClose: () => void;
}

/** Names a view. */
export function SaveViewDialog({ view, query, onSaved, onClose }: SaveViewDialogProps) {
  const trpc = useTRPC();
  const [name, setName] = useState(view?.name ?? "");
  const options = { stale: [trpc.views.list.queryKey()], done: () => "View saved", onDone: onSaved };
  const creating = useAction(trpc.views.create.mutationOptions(), options);
  const renaming = useAction(trpc.views.update.mutationOptions(), options);
  const save = (): void => {
    if (view === null) creating.mutate({ view: { name, query } });
    else renaming.mutate({ id: view.id, view: { name, query: view.query } });
  };
  return (
    <FormDialog
      needs="run"
      title={view === null ? "Save filters as a view" : "Rename view"}
      description={
        view === null
          ? "Everyone on the team can open it. You and admins can change and delete it."
          : "The filters of the view stay as they are."
      }
      pending={creating.isPending || renaming.isPending}
      disabled={name.trim() === ""}
      failure="Couldn't save the view"
      problem={creating.problem ?? renaming.problem}
      onSubmit={save}
      onClose={onClose}
    >
      <DraftField label="Name" field="name" value={name} maxLength={80} required onChange={setName} />
    </FormDialog>
  );
}
