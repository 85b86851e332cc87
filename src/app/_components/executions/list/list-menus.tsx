"use client";

import { useQuery } from "@tanstack/react-query";
import { Bookmark, Download, Pencil, Plus, Trash2 } from "lucide-react";
import { usePathname, useRouter } from "next/navigation";
import { useQueryStates } from "nuqs";
import { useState } from "react";
import { useAction } from "@/app/_kit/use-action";
import { useLiveRefresh } from "@/app/_live/use-live-refresh";
import { useTRPC } from "@/app/_trpc/client";
import { usePrincipal } from "@/app/_ui/access";
import { Button } from "@/app/_ui/button";
import { Menu } from "@/app/_ui/menu";
import type { MenuItem } from "@/app/_ui/menu-props";
import { onDemand } from "@/app/_ui/on-demand";
import type { Permission } from "@/lib/contract/access";
import type { ExecutionFilter } from "@/lib/contract/execution";
import type { SavedView } from "@/lib/contract/saved-view";
import { toViewQuery } from "@/lib/contract/view-query";
import { LIST_ADDRESS, writeListAddress } from "./execution-filters";

const SaveViewDialog = onDemand(() => import("./save-view-dialog").then((module) => module.SaveViewDialog));

/** The team's saved views, and the export of the list. */
export function ListMenus({ filter }: { filter: ExecutionFilter }) {
  return (
    <>
      <ViewsMenu />
      <ExportMenu filter={filter} />
    </>
  );
}

/** The address that opens a view: its filters, and which one it is, so that it can be changed. */
const toPath = ({ id, query }: Pick<SavedView, "id" | "query">, pathname: string): string =>
  `${pathname}?${query === "" ? "" : `${query}&`}view=${encodeURIComponent(id)}`;

/** The saved views of the team: opens one, saves the filters of the list as one, changes the one that is open. */
function ViewsMenu() {
  const trpc = useTRPC();
  const router = useRouter();
  const pathname = usePathname();
  const [address] = useQueryStates(LIST_ADDRESS);
  const [dialog, setDialog] = useState<"create" | "rename" | null>(null);
  const { data: views = [], refetch } = useQuery(trpc.views.list.queryOptions());
  useLiveRefresh(refetch, (event) => event.type === "views");
  const query = toViewQuery(writeListAddress(address));
  const opened = views.find(({ id }) => id === address.view) ?? views.find((view) => view.query === query);
  const me = usePrincipal();
  const needs: Permission = opened?.owner.id === me.id ? "run" : "administer";
  const stale = [trpc.views.list.queryKey()];
  const update = useAction(trpc.views.update.mutationOptions(), {
    stale,
    done: ({ name }) => `View “${name}” saved`,
    failed: () => "Couldn't save the view",
  });
  const deletion = useAction(trpc.views.delete.mutationOptions(), {
    stale,
    done: () => "View deleted",
    failed: () => "Couldn't delete the view",
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
  const isChanged = opened !== undefined && opened.query !== query;
  const problem = update.problem ?? deletion.problem;
  return (
    <>
      <Menu
        label={opened === undefined ? undefined : `Saved by ${opened.owner.name}`}
        items={items}
        trigger={
          <Button icon={Bookmark} className="max-w-52">
            <span className="min-w-0 truncate">{opened === undefined ? "Views" : opened.name}</span>
            {isChanged && <span className="text-mute">(changed)</span>}
          </Button>
        }
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
  ["jsonl", "JSON Lines: all that is recorded"],
  ["csv", "CSV: for spreadsheets"],
  ["har", "HAR: calls of HTTP servers"],
] as const;

/** Downloads every call that matches the filter, with arguments and results. */
function ExportMenu({ filter }: { filter: ExecutionFilter }) {
  return (
    <Menu
      label="All matching calls, newest first"
      items={FORMATS.map(([format, label]) => ({
        label,
        // The answer is an attachment: the page stays.
        onSelect: () => window.location.assign(toExportPath(format, filter)),
      }))}
      trigger={<Button icon={Download}>Export</Button>}
    />
  );
}

const toExportPath = (format: string, filter: ExecutionFilter): string =>
  `/api/executions/export?${new URLSearchParams({ format, filter: JSON.stringify(filter) })}`;
