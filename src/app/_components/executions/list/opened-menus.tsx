import { Bookmark, CassetteTape, Download, Pause, Pencil, Play, Plus, RotateCcw, Trash2 } from "lucide-react";
import { usePathname, useRouter } from "next/navigation";
import { type ReactElement, useState } from "react";
import { useAction } from "@/app/_kit/use-action";
import { trpc } from "@/app/_trpc/client";
import { useDenial, usePrincipal } from "@/app/_ui/access";
import type { MenuItem } from "@/app/_ui/menu-props";
import { MenuView } from "@/app/_ui/menu-view";
import { onDemand } from "@/app/_ui/on-demand";
import { toAddress } from "@/lib/base-path";
import type { Permission } from "@/lib/contract/access";
import type { ExecutionFilter } from "@/lib/contract/execution";
import type { SavedView } from "@/lib/contract/saved-view";
import { formatPlural } from "@/lib/format";

const DeleteDialog = onDemand(() => import("./delete-dialog"), "DeleteDialog");
const RecordDialog = onDemand(() => import("@/app/_components/cassettes/record-dialog"), "RecordDialog");
const ReplayDialog = onDemand(() => import("@/app/_components/suites/actions/replay-dialog"), "ReplayDialog");
const SaveViewDialog = onDemand(() => import("./save-view-dialog"), "SaveViewDialog");

/** The address that opens a view: its filters, and which one it is, so that it can be changed. */
const toPath = ({ id, query }: Pick<SavedView, "id" | "query">, pathname: string): string =>
  `${pathname}?${query === "" ? "" : `${query}&`}view=${encodeURIComponent(id)}`;

interface ViewsMenuProps {
  trigger: ReactElement;
  views: readonly SavedView[];
  /** The view whose filters, or whose address, the list has. */
  opened: SavedView | undefined;
  /** The filters of the list. */
  query: string;
}

/** Opens a view, saves the filters of the list as one, changes the one that is open. */
export function ViewsMenu({ trigger, views, opened, query }: ViewsMenuProps) {
  const router = useRouter();
  const pathname = usePathname();
  const [dialog, setDialog] = useState<"create" | "rename" | null>(null);
  const me = usePrincipal();
  const needs: Permission = opened?.owner.id === me.id ? "run" : "administer";
  const stale = [trpc.views.list];
  const update = useAction(trpc.views.update, {
    stale,
    done: ({ name }) => `View “${name}” saved`,
    failed: "Couldn't save the view",
  });
  const deletion = useAction(trpc.views.delete, {
    stale,
    done: "View deleted",
    failed: "Couldn't delete the view",
  });

  const items: MenuItem[] = [
    ...views.map((view) => ({
      label: view.name,
      icon: Bookmark,
      onSelect: () => router.push(toPath(view, pathname)),
    })),
    { label: "Save filters as a view…", icon: Plus, needs: "run", onSelect: () => setDialog("create") },
    ...(opened === undefined
      ? []
      : [
          ...(opened.query === query
            ? []
            : [
                {
                  label: `Save filters in “${opened.name}”`,
                  needs,
                  icon: Bookmark,
                  onSelect: () => update.mutate({ id: opened.id, view: { name: opened.name, query } }),
                },
              ]),
          {
            label: `Rename “${opened.name}”…`,
            needs,
            icon: Pencil,
            onSelect: () => setDialog("rename"),
          },
          {
            label: `Delete “${opened.name}”`,
            needs,
            icon: Trash2,
            danger: true,
            onSelect: () => deletion.mutate({ id: opened.id }),
          },
        ]),
  ];
  const problem = update.problem ?? deletion.problem;
  return (
    <>
      <MenuView
        label={opened === undefined ? undefined : `Saved by ${opened.owner.name}`}
        items={items}
        trigger={trigger}
      />
      {problem !== null && (
        <p role="alert" className="text-bad text-xs">
          {problem}
        </p>
      )}
      {dialog !== null && (
        <SaveViewDialog
          view={dialog === "rename" && opened !== undefined ? opened : null}
          query={query}
          onSaved={(view) => {
            setDialog(null);
            router.push(toPath(view, pathname));
          }}
          onClose={() => setDialog(null)}
        />
      )}
    </>
  );
}

const FORMATS = [
  ["jsonl", "Export as JSON Lines, all that is recorded"],
  ["csv", "Export as CSV, for spreadsheets"],
] as const;

interface ActionsMenuProps {
  trigger: ReactElement;
  filter: ExecutionFilter;
  selectedIds: readonly string[];
  /** The number of matching calls, formatted for display; null until it is known. */
  matching: string | null;
  paused: boolean;
  onTogglePaused: () => void;
  onDeleted: () => void;
}

type Dialog = "replay" | "record" | "delete";

/** The menu replays, records, exports or deletes the selected calls, or all that match. */
export function ActionsMenu({ trigger, filter, selectedIds, matching, ...list }: ActionsMenuProps) {
  const { paused, onTogglePaused, onDeleted } = list;
  const [dialog, setDialog] = useState<Dialog | null>(null);
  const mayDelete = useDenial("administer") === null;
  const isChosen = selectedIds.length > 0;
  // The selected calls, or all of the list.
  const choice = isChosen ? { ids: [...selectedIds] } : { filter };
  const close = () => setDialog(null);
  const exports: MenuItem[] = FORMATS.map(([format, label]) => ({
    label,
    icon: Download,
    // The answer is an attachment, so the page does not change.
    onSelect: () => window.location.assign(toExportPath(format, filter, selectedIds)),
  }));
  const deletion: MenuItem = {
    label: "Delete…",
    icon: Trash2,
    danger: true,
    needs: "administer",
    onSelect: () => setDialog("delete"),
  };
  return (
    <>
      <MenuView
        label={isChosen ? formatPlural(selectedIds.length, "selected call") : `All ${matching ?? "matching calls"}`}
        trigger={trigger}
        items={[
          {
            label: paused ? "Resume live updates" : "Pause live updates",
            icon: paused ? Play : Pause,
            onPhone: true,
            onSelect: onTogglePaused,
          },
          {
            label: "Replay…",
            icon: RotateCcw,
            needs: "run",
            onSelect: () => setDialog("replay"),
          },
          {
            label: "Record as a cassette…",
            icon: CassetteTape,
            needs: "edit",
            onSelect: () => setDialog("record"),
          },
          ...exports,
          ...(mayDelete ? [deletion] : []),
        ]}
      />
      {dialog === "replay" && <ReplayDialog choice={choice} onClose={close} />}
      {dialog === "record" && (
        <RecordDialog
          choice={choice}
          of={isChosen ? "the selected calls" : "all calls that match the current filter"}
          onClose={close}
        />
      )}
      {dialog === "delete" && (
        <DeleteDialog filter={filter} selectedIds={selectedIds} onDeleted={onDeleted} onClose={close} />
      )}
    </>
  );
}

function toExportPath(format: string, filter: ExecutionFilter, ids: readonly string[]): string {
  const query = new URLSearchParams({ format, filter: JSON.stringify(filter) });
  if (ids.length > 0) query.set("ids", JSON.stringify(ids));
  return toAddress(`/api/executions/export?${query}`);
}
