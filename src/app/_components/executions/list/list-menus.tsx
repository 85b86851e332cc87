"use client";

import { useQuery } from "@tanstack/react-query";
import { Bookmark, Download } from "lucide-react";
import { useQueryStates } from "nuqs";
import { lazy } from "react";
import { useLiveRefresh } from "@/app/_live/use-live-refresh";
import { useTRPC } from "@/app/_trpc/client";
import { Button } from "@/app/_ui/button";
import { Menu, MenuOnDemand } from "@/app/_ui/menu";
import { whenServerAnswers } from "@/app/_ui/server-reach";
import type { ExecutionFilter } from "@/lib/contract/execution";
import { toViewQuery } from "@/lib/contract/view-query";
import { LIST_ADDRESS, writeListAddress } from "./execution-filters";

const loadViews = () => whenServerAnswers().then(() => import("./views-menu"));
const ViewsMenu = lazy(() => loadViews().then((module) => ({ default: module.ViewsMenu })));

/** The team's saved views, and the export of the list. */
export function ListMenus({ filter }: { filter: ExecutionFilter }) {
  return (
    <>
      <Views />
      <ExportMenu filter={filter} />
    </>
  );
}

/** The saved views of the team, and the one that is open. */
function Views() {
  const [address] = useQueryStates(LIST_ADDRESS);
  const { data: views = [], refetch } = useQuery(useTRPC().views.list.queryOptions());
  useLiveRefresh(refetch, (event) => event.type === "views");
  const query = toViewQuery(writeListAddress(address));
  const opened = views.find(({ id }) => id === address.view) ?? views.find((view) => view.query === query);
  const trigger = (
    <Button icon={Bookmark} className="max-w-52">
      <span className="min-w-0 truncate">{opened === undefined ? "Views" : opened.name}</span>
      {opened !== undefined && opened.query !== query && <span className="text-mute">(changed)</span>}
    </Button>
  );
  return (
    <MenuOnDemand trigger={trigger} load={loadViews}>
      <ViewsMenu {...{ trigger, views, opened, query }} />
    </MenuOnDemand>
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
