"use client";

import { useSuspenseQuery } from "@tanstack/react-query";
import type { Column } from "@/app/_kit/data-table";
import { ResourceList } from "@/app/_kit/list/resource-list";
import { useLiveRefresh } from "@/app/_live/use-live-refresh";
import { useTRPC } from "@/app/_trpc/client";
import { Link } from "@/app/_ui/link";
import { RelativeTime } from "@/app/_ui/relative-time";
import { useHydrated } from "@/app/_ui/use-hydrated";
import { getConsoleAddress } from "@/lib/base-path";
import type { ClientSummary } from "@/lib/contract/client";
import { formatCount, formatPlural } from "@/lib/format";
import { ConnectSection } from "./connect/connect-section";

/** Those seen last: what connects a further one follows below. */
const STEP = 8;
/** Between two reads while clients are busy. */
const REFRESH_MS = 2_000;
const TRANSPORT_LABELS = { http: "HTTP", stdio: "stdio" } as const;

const listTransports = ({ uses }: ClientSummary): string =>
  [...new Set(uses.map(({ transport }) => TRANSPORT_LABELS[transport]))].join(", ");

const toCallsPath = ({ name, user }: ClientSummary): string =>
  `/executions?client=${encodeURIComponent(name)}&actor=${encodeURIComponent(user.id)}&source=gateway`;

const COLUMNS: readonly Column<ClientSummary>[] = [
  {
    head: "Client",
    className: "pl-4",
    cellClass: "max-md:w-full md:min-w-56 md:max-w-96",
    render: ({ id, name, version, user, token, tools, calls }) => (
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
          {token !== null && ` · ${token.name}`} · {tools === null ? "no list" : formatPlural(tools, "tool")} ·{" "}
          {formatPlural(calls, "call")}
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
    head: "Transport",
    className: "whitespace-nowrap max-lg:hidden",
    cellClass: "text-mute text-xs leading-5",
    render: (client) => listTransports(client),
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
    head: "Calls",
    headTitle: "Of the last 30 days",
    className: "pr-6 text-right max-md:hidden",
    cellClass: "font-mono text-xs leading-5 tabular-nums",
    render: (client) =>
      client.calls === 0 ? (
        <span className="text-faint">–</span>
      ) : (
        <Link href={toCallsPath(client)} className="rounded-xs underline decoration-line2 underline-offset-2">
          {formatCount(client.calls)}
        </Link>
      ),
  },
  {
    head: "Last call",
    className: "whitespace-nowrap pr-4 max-lg:hidden",
    cellClass: "max-w-48 truncate text-mute text-xs leading-5",
    render: ({ lastCall }) =>
      lastCall === null ? (
        "never"
      ) : (
        <Link href={`/executions/${encodeURIComponent(lastCall.id)}`} className="rounded-xs hover:underline">
          <RelativeTime at={lastCall.at} />
        </Link>
      ),
  },
  {
    head: "Last seen",
    className: "whitespace-nowrap pr-4 max-md:hidden",
    cellClass: "text-mute text-xs leading-5",
    render: ({ seenAt }) => <RelativeTime at={seenAt} />,
  },
];

/** The programs that used the gateway in the last 30 days, and what connects a further one. */
export function ClientsView() {
  const trpc = useTRPC();
  const query = useSuspenseQuery(trpc.clients.list.queryOptions());
  const clients = query.data;
  useLiveRefresh(
    () => query.refetch(),
    (event) => event.type === "clients",
    { intervalMs: REFRESH_MS },
  );
  const origin = useHydrated() ? getConsoleAddress() : "";
  return (
    <>
      {clients.length > 0 && (
        <ResourceList
          label="Clients"
          look="catalog"
          columns={COLUMNS}
          rows={clients}
          toKey={({ id }) => id}
          empty={null}
          status={`${formatPlural(clients.length, "client")} in the last 30 days`}
          step={STEP}
        />
      )}
      <ConnectSection origin={origin} clients={clients} />
    </>
  );
}
