import { EditDialog } from "@/app/_kit/form/edit-dialog";
import { defineForm, text } from "@/app/_kit/form/fields";
import { client, trpc } from "@/app/_trpc/client";
import type { SavedView, SavedViewInput } from "@/lib/contract/saved-view";

const VIEW_FORM = defineForm<Pick<SavedViewInput, "name">>()({
  name: text("Name", { required: true, maxLength: 80 }),
});

interface SaveViewDialogProps {
  /** The view to rename; null for a new one. */
  view: SavedView | null;
  /** The filters of the list. */
  query: string;
  onSaved: (view: SavedView) => void;
  onClose: () => void;
}

/** The dialog that names a view. */
export function SaveViewDialog({ view, query, onSaved, onClose }: SaveViewDialogProps) {
  return (
    <EditDialog
      needs="run"
      title={view === null ? "Save filters as a view" : "Rename view"}
      description={
        view === null
          ? "Everyone on the team can open it. You and admins can change and delete it."
          : "The filters of the view stay as they are."
      }
      failure="Couldn't save the view"
      table={VIEW_FORM}
      initial={view ?? {}}
      root="view"
      save={({ name }) =>
        view === null
          ? client.views.create.mutate({ view: { name, query } })
          : client.views.update.mutate({ id: view.id, view: { name, query: view.query } })
      }
      stale={[trpc.views.list]}
      done="View saved"
      onSaved={onSaved}
      onClose={onClose}
    />
  );
}
