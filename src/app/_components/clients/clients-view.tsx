"use client";

import { useSuspenseQuery } from "@tanstack/react-query";
import type { Column } from "@/app/_kit/data-table";
import { countColumn, nameColumn, textColumn, timeColumn } from "@/app/_kit/list/columns";
import { ResourceList } from "@/app/_kit/list/resource-list";
import { useLiveRefresh } from "@/app/_live/use-live-refresh";
import { trpc } from "@/app/_trpc/client";
import { useHydrated } from "@/app/_ui/use-hydrated";
import { getConsoleAddress } from "@/lib/base-path";
import type { ClientSummary } from "@/lib/contract/client";
import { formatPlural } from "@/lib/format";
import { ConnectSection } from "./connect/connect-section";

/** The number of clients shown first, those seen last; the section to connect another one follows below. */
const STEP = 8;
/** Milliseconds between two reads while clients are busy. */
const REFRESH_MS = 2_000;
const TRANSPORT_LABELS = { http: "HTTP", stdio: "stdio" } as const;

const listTransports = ({ uses }: ClientSummary): string =>
  [...new Set(uses.map(({ transport }) => TRANSPORT_LABELS[transport]))].join(", ");

const toCallsPath = ({ name, user }: ClientSummary): string =>
  `/executions?client=${encodeURIComponent(name)}&actor=${encodeURIComponent(user.id)}&source=gateway`;

const COLUMNS: readonly Column<ClientSummary>[] = [
  nameColumn("Client", {
    plain: true,
    name: ({ name }) => name,
    href: ({ id }) => `/clients/${encodeURIComponent(id)}`,
    marks: ({ version }) => <span className="-ml-1 text-mute text-xs">{version}</span>,
    cellClass: "md:min-w-56!",
  }),
  textColumn("User and token", renderUser, {
    from: "md",
    cellClass: "max-w-56 truncate",
    phone: ({ user, token }) => (token === null ? user.name : `${user.name} · ${token.name}`),
  }),
  textColumn("Transport", listTransports, { from: "lg", cellClass: "text-mute" }),
  textColumn("Address", ({ addresses }) => <span title={addresses.join("\n")}>{addresses.join(", ")}</span>, {
    from: "md",
    cellClass: "w-full max-w-0 truncate font-mono text-mute",
  }),
  countColumn("Tools", ({ tools }) => tools, {
    headTitle: "In the list that it fetched last",
    from: "md",
    className: "pr-6",
    phone: ({ tools }) => (tools === null ? "no list" : formatPlural(tools, "tool")),
  }),
  countColumn("Calls", ({ calls }) => calls, {
    noun: "call",
    href: toCallsPath,
    headTitle: "Of the last 30 days",
    from: "md",
    className: "pr-6",
  }),
  timeColumn("Last call", ({ lastCall }) => lastCall?.at, {
    never: "never",
    href: ({ lastCall }) => `/executions/${encodeURIComponent(lastCall?.id ?? "")}`,
    from: "lg",
    className: "pr-4",
  }),
  timeColumn("Last seen", ({ seenAt }) => seenAt, { from: "md", className: "pr-4" }),
];

function renderUser({ user, token }: ClientSummary) {
  return (
    <>
      {user.name}
      {token !== null && <span className="text-mute"> · {token.name}</span>}
    </>
  );
}

/** The programs that used the gateway in the last 30 days, and what connects a further one. */
export function ClientsView() {
  const query = useSuspenseQuery(trpc.clients.list.queryOptions());
  const clients = query.data;
  useLiveRefresh(query.refetch, "clients", { intervalMs: REFRESH_MS });
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
