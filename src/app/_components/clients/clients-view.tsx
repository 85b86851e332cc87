"use client";

import { useSuspenseQuery } from "@tanstack/react-query";
import type { Column } from "@/app/_kit/data-table";
import { type ListDeclaration, ResourceList } from "@/app/_kit/list/resource-list";
import { useTRPC } from "@/app/_trpc/client";
import { EmptyState } from "@/app/_ui/empty-state";
import { Link } from "@/app/_ui/link";
import { RelativeTime } from "@/app/_ui/relative-time";
import type { ClientSummary } from "@/lib/contract/client";
import { formatCount, formatPlural } from "@/lib/format";

const STEP = 100;
const READ_MS = 10_000;

const COLUMNS: readonly Column<ClientSummary>[] = [
  {
    head: "Client",
    className: "pl-4",
    cellClass: "max-md:w-full md:min-w-56 md:max-w-96",
    render: ({ id, name, version, user, token, tools }) => (
      <>
        <Link
          href={`/clients/${encodeURIComponent(id)}`}
          data-row=""
          className="rounded-xs font-medium leading-5 hover:underline [overflow-wrap:anywhere]"
        >
          {name}
        </Link>{" "}
        <span className="text-mute text-xs">{version}</span>
        <p className="text-mute text-xs [overflow-wrap:anywhere] md:hidden">
          {user.name}
          {token !== null && ` · ${token.name}`} · {tools === null ? "no list" : formatPlural(tools, "tool")}
        </p>
      </>
    ),
  },
  {
    head: "User and token",
    className: "whitespace-nowrap max-md:hidden",
    cellClass: "max-w-56 truncate text-xs leading-5",
    render: ({ user, token }) => (
      <>
        {user.name}
        {token !== null && <span className="text-mute"> · {token.name}</span>}
      </>
    ),
  },
  {
    head: "Address",
    className: "max-md:hidden",
    cellClass: "w-full max-w-0 truncate font-mono text-mute text-xs leading-5",
    render: ({ addresses }) => <span title={addresses.join("\n")}>{addresses.join(", ")}</span>,
  },
  {
    head: "Tools",
    headTitle: "In the list that it fetched last",
    className: "pr-6 text-right max-md:hidden",
    cellClass: "font-mono text-xs leading-5 tabular-nums",
    render: ({ tools }) => (tools === null ? <span className="text-faint">–</span> : formatCount(tools)),
  },
  {
    head: "Last list",
    className: "whitespace-nowrap pr-4 max-lg:hidden",
    cellClass: "text-mute text-xs leading-5",
    render: ({ listedAt }) => (listedAt === null ? "never" : <RelativeTime at={listedAt} />),
  },
  {
    head: "Last seen",
    className: "whitespace-nowrap pr-4 max-md:hidden",
    cellClass: "text-mute text-xs leading-5",
    render: ({ seenAt }) => <RelativeTime at={seenAt} />,
  },
];

const CLIENT_LIST: Omit<ListDeclaration<ClientSummary>, "noMatch"> = {
  label: "Clients",
  look: "catalog",
  toKey: ({ id }) => id,
  empty: (
    <EmptyState heading="h2" title="No clients yet" next={{ href: "/connect", text: "Connect a client" }}>
      Each MCP client that uses Toolroom appears here with the tools that it was given, and why others are missing.
    </EmptyState>
  ),
};

/** The programs that used the gateway in the last 30 days. */
export function ClientsView() {
  const trpc = useTRPC();
  const { data: clients } = useSuspenseQuery(trpc.clients.list.queryOptions(undefined, { refetchInterval: READ_MS }));
  const status = formatPlural(clients.length, "client");
  return <ResourceList {...CLIENT_LIST} columns={COLUMNS} rows={clients} status={status} step={STEP} />;
}
