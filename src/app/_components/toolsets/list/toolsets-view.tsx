"use client";

import { useSuspenseQuery } from "@tanstack/react-query";
import type { Column } from "@/app/_kit/data-table";
import { countColumn, nameColumn, textColumn, timeColumn } from "@/app/_kit/list/columns";
import { type ListDeclaration, ResourceList } from "@/app/_kit/list/resource-list";
import { trpc } from "@/app/_trpc/client";
import { Badge } from "@/app/_ui/badge";
import { EmptyState } from "@/app/_ui/empty-state";
import type { ToolsetSummary } from "@/lib/contract/toolset";
import { formatPlural } from "@/lib/format";

const STEP = 100;

const COLUMNS: readonly Column<ToolsetSummary>[] = [
  nameColumn("Name", {
    name: ({ name }) => name,
    href: ({ name }) => `/toolsets/${encodeURIComponent(name)}`,
    marks: ({ discovery, askReason }) => (
      <>
        {discovery && <Badge title="Clients get search_tools and call_tool">discovery</Badge>}
        {askReason && <Badge title="Clients are asked for a reason">reason</Badge>}
      </>
    ),
    about: ({ title }) => title,
  }),
  textColumn("Instructions", ({ description }) => <span dir="auto">{description}</span>, {
    from: "md",
    cellClass: "w-full max-w-0 truncate text-mute",
  }),
  countColumn("Tools", ({ toolCount }) => toolCount, { noun: "tool", from: "md", className: "pr-6" }),
  timeColumn("Changed", ({ updatedAt }) => updatedAt, { from: "md", className: "pr-4" }),
];

const TOOLSET_LIST: Omit<ListDeclaration<ToolsetSummary>, "noMatch"> = {
  label: "Toolsets",
  look: "catalog",
  toKey: ({ name }) => name,
  empty: (
    <EmptyState
      heading="h2"
      title="No toolsets yet"
      next={{ href: "/toolsets/new", text: "New toolset", needs: "edit" }}
    >
      A toolset is a selection of tools for one purpose, with names, texts and arguments of its own. Clients use it at
      its own address, and models in the Playground.
    </EmptyState>
  ),
};

export function ToolsetsView() {
  const { data: toolsets } = useSuspenseQuery(trpc.toolsets.list.queryOptions());
  const status = formatPlural(toolsets.length, "toolset");
  return <ResourceList {...TOOLSET_LIST} columns={COLUMNS} rows={toolsets} status={status} step={STEP} />;
}
