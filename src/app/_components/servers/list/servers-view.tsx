"use client";

import { useQuery, useSuspenseInfiniteQuery } from "@tanstack/react-query";
import { useDeferredValue, useMemo } from "react";
import { useWaitingChanges } from "@/app/_components/changes/use-waiting-changes";
import { RebuildingStatistics } from "@/app/_components/executions/summary/rebuilding-note";
import { namesRedirect, RedirectAddress } from "@/app/_components/servers/summary/redirect-address";
import { useLiveServers } from "@/app/_components/servers/summary/use-live-servers";
import { useServerActions } from "@/app/_components/servers/summary/use-server-actions";
import { LoadProblems } from "@/app/_components/tools/summary/load-problems";
import { type ListDeclaration, ResourceList } from "@/app/_kit/list/resource-list";
import { useList } from "@/app/_kit/list/use-list";
import { usePages } from "@/app/_kit/use-pages";
import { BY_CURSOR } from "@/app/_trpc/by-cursor";
import { trpc } from "@/app/_trpc/client";
import { ActionProblem } from "@/app/_ui/action-problem";
import { ButtonLink } from "@/app/_ui/button";
import { EmptyState } from "@/app/_ui/empty-state";
import { onDemand } from "@/app/_ui/on-demand";
import type { ServerSummary } from "@/lib/contract/server";
import { FIGURE_DAYS } from "@/lib/contract/tool-filter";
import { formatCount, formatPlural } from "@/lib/format";
import { needsAttention } from "@/lib/server-attention";
import { buildColumns } from "./server-columns";
import { SERVER_FILTERS, toListInput } from "./server-filters";

/** Of servers that need a user. */
const AttentionNote = onDemand(() => import("./attention-note"), "AttentionNote", { onServer: true });

const toKey = ({ name }: ServerSummary): string => name;

const SERVER_LIST: Omit<ListDeclaration<ServerSummary>, "noMatch"> = {
  label: "Servers",
  look: "catalog",
  toKey,
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
  const list = useList(SERVER_FILTERS);
  const input = useMemo(() => toListInput(list.params), [list.params]);
  const read = useDeferredValue(input);
  const query = useSuspenseInfiniteQuery(trpc.servers.page.infiniteQueryOptions(read, BY_CURSOR));
  const pages = usePages(query, { toKey });
  useLiveServers();
  const { actions, problem, dismiss } = useServerActions({ list: trpc.servers.page.infiniteQueryKey(read) });
  const { data: problems } = useQuery(trpc.servers.problems.queryOptions());

  const { data: calls } = useQuery(trpc.executions.serverFigures.queryOptions({ days: FIGURE_DAYS }));
  const figures = useMemo(() => calls && new Map(calls.map((row) => [row.serverName, row])), [calls]);

  const { matching = 0, total = 0, attention = 0, changed = false } = query.data.pages[0] ?? {};
  const inAll = formatPlural(total, "server");
  const waiting =
    attention === 0 ? "" : ` · ${attention === 1 ? "1 needs" : `${formatCount(attention)} need`} attention`;
  const changes = useWaitingChanges(changed);
  const columns = buildColumns(actions, figures ?? null, changes);

  return (
    <ResourceList
      {...SERVER_LIST}
      noMatch={{ title: "No matching servers", text: `${inAll} are known here.` }}
      columns={columns}
      list={{ ...list, isBusy: input !== read }}
      rows={pages}
      total={total}
      sorted
      status={`${list.isFiltered ? `${formatCount(matching)} of ${inAll}` : inAll}${waiting}`}
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
        <LoadProblems problems={problems} />
        <RebuildingStatistics />
        <ActionProblem problem={problem} onDismiss={dismiss}>
          {namesRedirect(problem) && <RedirectAddress />}
        </ActionProblem>
      </div>
    </ResourceList>
  );
}
