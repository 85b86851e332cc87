"use client";

import { useSuspenseQuery } from "@tanstack/react-query";
import type { Column } from "@/app/_kit/data-table";
import { type ListDeclaration, ResourceList } from "@/app/_kit/list/resource-list";
import { useTRPC } from "@/app/_trpc/client";
import { Badge } from "@/app/_ui/badge";
import { EmptyState } from "@/app/_ui/empty-state";
import { Link } from "@/app/_ui/link";
import { RelativeTime } from "@/app/_ui/relative-time";
import type { ToolsetSummary } from "@/lib/contract/toolset";
import { formatCount, formatPlural } from "@/lib/format";

const STEP = 100;

const COLUMNS: readonly Column<ToolsetSummary>[] = [
  {
    head: "Name",
    className: "pl-4",
    cellClass: "max-md:w-full md:min-w-64 md:max-w-96 lg:min-w-80",
    render: ({ name, title, discovery, askReason, toolCount }) => (
      <>
        <span className="flex flex-wrap items-center gap-x-2 gap-y-1">
          <Link
            href={`/toolsets/${encodeURIComponent(name)}`}
            data-row=""
            className="rounded-xs font-medium font-mono text-xs leading-5 hover:underline [overflow-wrap:anywhere]"
          >
            {name}
          </Link>
          {discovery && <Badge title="Clients get search_tools and call_tool">discovery</Badge>}
          {askReason && <Badge title="Clients are asked for a reason">reason</Badge>}
        </span>
        {title !== "" && (
          <p dir="auto" className="text-mute text-xs [overflow-wrap:anywhere]">
            {title}
          </p>
        )}
        <p className="text-mute text-xs md:hidden">{formatPlural(toolCount, "tool")}</p>
      </>
    ),
  },
  {
    head: "Instructions",
    className: "max-md:hidden",
    cellClass: "w-full max-w-0 truncate text-mute text-xs leading-5",
    render: ({ description }) => <span dir="auto">{description}</span>,
  },
  {
    head: "Tools",
    className: "pr-6 text-right max-md:hidden",
    cellClass: "font-mono text-xs leading-5 tabular-nums",
    render: ({ toolCount }) => formatCount(toolCount),
  },
  {
    head: "Changed",
    className: "whitespace-nowrap pr-4 max-md:hidden",
    cellClass: "text-mute text-xs leading-5",
    render: ({ updatedAt }) => <RelativeTime at={updatedAt} />,
  },
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
  const trpc = useTRPC();
  const { data: toolsets } = useSuspenseQuery(trpc.toolsets.list.queryOptions());
  const status = formatPlural(toolsets.length, "toolset");
  return <ResourceList {...TOOLSET_LIST} columns={COLUMNS} rows={toolsets} status={status} step={STEP} />;
}
