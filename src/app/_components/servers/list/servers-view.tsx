"use client";

import { useQuery, useSuspenseQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import { useWaitingChanges } from "@/app/_components/changes/change-banner";
import { RebuildingStatistics } from "@/app/_components/executions/summary/rebuilding-note";
import { needsAttention } from "@/app/_components/servers/summary/needs-attention";
import { namesRedirect, RedirectAddress } from "@/app/_components/servers/summary/redirect-address";
import { useLiveServers } from "@/app/_components/servers/summary/use-live-servers";
import { useServerActions } from "@/app/_components/servers/summary/use-server-actions";
import { LoadProblems } from "@/app/_components/tools/summary/load-problems";
import { defineFilters, oneOf, type Params, searchText, toggle } from "@/app/_kit/list/filters";
import { type ListDeclaration, ResourceList } from "@/app/_kit/list/resource-list";
import { useList } from "@/app/_kit/list/use-list";
import { trpc } from "@/app/_trpc/client";
import { ActionProblem } from "@/app/_ui/action-problem";
import { ButtonLink } from "@/app/_ui/button";
import { EmptyState } from "@/app/_ui/empty-state";
import { compareForReaders } from "@/lib/compare-for-readers";
import type { ServerSummary } from "@/lib/contract/server";
import { SERVER_TRANSPORTS, TRANSPORT_LABELS } from "@/lib/contract/server-kind";
import { FIGURE_DAYS } from "@/lib/contract/tool-filter";
import { formatCount, formatPlural } from "@/lib/format";
import { createWordMatcher } from "@/lib/match-words";
import { CONNECTION_STATUSES, STATUS_WORDS } from "../summary/server-words";
import { AttentionNote, buildColumns } from "./server-columns";

/** The filters of the servers in the address, so that a link shows the same list. */
export const SERVER_FILTERS = defineFilters({
  q: searchText({ label: "Search servers", placeholder: "Search name, command, address", instant: true }),
  state: oneOf(CONNECTION_STATUSES, { label: "State", words: STATUS_WORDS }),
  transport: oneOf(SERVER_TRANSPORTS, { label: "Transport", words: TRANSPORT_LABELS }),
  attention: toggle({ label: "Needs attention" }),
});

/** Rows rendered at once. */
const STEP = 100;

const SERVER_LIST: Omit<ListDeclaration<ServerSummary>, "noMatch"> = {
  label: "Servers",
  look: "catalog",
  toKey: ({ name }) => name,
  empty: (
    <EmptyState
      heading="h2"
      title="No servers yet"
      next={{ href: "/servers/new", text: "Add server", needs: "edit" }}
      action={
        <>
          <ButtonLink needs="edit" href="/servers/new?tab=paste">
            Paste an mcp.json
          </ButtonLink>
          <ButtonLink needs="edit" href="/servers/new?template=zwave">
            Add the sample server
          </ButtonLink>
        </>
      }
    >
      Connect an MCP server, or an API with an OpenAPI document, to add its tools to the catalog: run them here, call
      them through one gateway, and record every call in Executions.
    </EmptyState>
  ),
};

export function ServersView() {
  const { data } = useSuspenseQuery(trpc.servers.list.queryOptions());
  useLiveServers();
  const list = useList(SERVER_FILTERS);
  const { actions, problem, dismiss } = useServerActions();

  const { data: calls } = useQuery(trpc.executions.serverFigures.queryOptions({ days: FIGURE_DAYS }));
  const figures = useMemo(() => calls && new Map(calls.map((row) => [row.serverName, row])), [calls]);

  const shown = filterServers(data.items, list.params);
  const waiting = data.items.filter(needsAttention).length;
  const total = formatPlural(data.items.length, "server");
  const attention = waiting === 0 ? "" : ` · ${waiting === 1 ? "1 needs" : `${formatCount(waiting)} need`} attention`;
  const changes = useWaitingChanges(data.items.some(({ heldCount, appliedCount }) => heldCount + appliedCount > 0));
  const columns = buildColumns(actions, figures ?? null, changes);

  return (
    <ResourceList
      {...SERVER_LIST}
      noMatch={{ title: "No matching servers", text: `${total} are known here.` }}
      columns={columns}
      list={list}
      rows={shown}
      total={data.items.length}
      status={`${list.isFiltered ? `${formatCount(shown.length)} of ${total}` : total}${attention}`}
      step={STEP}
      renderDetail={(server) =>
        needsAttention(server) && (
          <tr>
            <td className="max-md:hidden" />
            <td colSpan={columns.length - 1} className="pr-4 pb-2 max-md:pl-4">
              <AttentionNote server={server} actions={actions} />
            </td>
          </tr>
        )
      }
    >
      <div className="flex flex-col gap-2 px-4 pt-3 empty:hidden">
        <LoadProblems problems={data.problems} />
        <RebuildingStatistics />
        <ActionProblem problem={problem} onDismiss={dismiss}>
          {namesRedirect(problem) && <RedirectAddress />}
        </ActionProblem>
      </div>
    </ResourceList>
  );
}

export type ServerFilters = Params<typeof SERVER_FILTERS.filters>;

/** By name; every word of the search must occur in name, title, target or what the server calls itself. */
export function filterServers(servers: readonly ServerSummary[], filters: ServerFilters): ServerSummary[] {
  const matches = createWordMatcher(filters.q);
  const matching = servers.filter((server) => {
    if (filters.state !== null && server.state.status !== filters.state) return false;
    if (filters.transport !== null && server.transport !== filters.transport) return false;
    if (filters.attention && !needsAttention(server)) return false;
    const { peer } = server.state;
    return matches(server.name, server.title, server.target, peer?.name, peer?.title);
  });
  return matching.sort((one, other) => compareForReaders(one.name, other.name));
}
