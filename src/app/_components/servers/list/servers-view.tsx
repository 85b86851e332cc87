"use client";

import { useSuspenseQuery } from "@tanstack/react-query";
import dynamic from "next/dynamic";
import { parseAsString, useQueryStates } from "nuqs";
import { useRef } from "react";
import { needsAttention } from "@/app/_components/servers/summary/needs-attention";
import { useLiveServers } from "@/app/_components/servers/summary/use-live-servers";
import { useServerActions } from "@/app/_components/servers/summary/use-server-actions";
import { LoadProblems } from "@/app/_components/tools/summary/load-problems";
import { useListKeys } from "@/app/_kit/use-list-keys";
import { useTRPC } from "@/app/_trpc/client";
import { ActionProblem } from "@/app/_ui/action-problem";
import { Button } from "@/app/_ui/button";
import { EmptyState } from "@/app/_ui/empty-state";
import { formatCount, formatPlural } from "@/lib/format";
import { ServerFilterBar } from "./server-filter-bar";
import { filterServers, isFiltered, NO_SERVER_FILTERS, serverFilterParsers } from "./server-filters";
import { ServerTable } from "./server-table";
import { ServersEmpty } from "./servers-empty";

const ConnectDialog = dynamic(
  () => import("@/app/_components/servers/connect/connect-dialog").then((module) => module.ConnectDialog),
  {
    ssr: false,
  },
);

export function ServersView() {
  const trpc = useTRPC();
  const { data } = useSuspenseQuery(trpc.servers.list.queryOptions());
  useLiveServers();
  const [filters, setFilters] = useQueryStates(serverFilterParsers);
  const [{ connect, scope }, setConnect] = useQueryStates({ connect: parseAsString, scope: parseAsString });
  const { actions, problem, dismiss } = useServerActions();
  const list = useRef<HTMLDivElement>(null);
  const search = useRef<HTMLInputElement>(null);
  useListKeys({ list, search });

  const shown = filterServers(data.items, filters);
  const waiting = data.items.filter(needsAttention).length;
  const total = formatPlural(data.items.length, "server");

  return (
    <>
      {data.items.length > 0 && (
        <ServerFilterBar filters={filters} onChange={(part) => void setFilters(part)} searchRef={search} />
      )}
      {(data.problems.length > 0 || problem !== null) && (
        <div className="flex flex-col gap-2 px-4 pt-3">
          <LoadProblems problems={data.problems} />
          <ActionProblem problem={problem} onDismiss={dismiss} />
        </div>
      )}
      {data.items.length > 0 && (
        <p role="status" className="px-4 pt-2.5 text-mute text-xs">
          {isFiltered(filters) ? `${formatCount(shown.length)} of ${total}` : total}
          {waiting > 0 && ` · ${waiting === 1 ? "1 needs" : `${formatCount(waiting)} need`} attention`}
        </p>
      )}
      <div ref={list}>
        {shown.length > 0 && <ServerTable servers={shown} actions={actions} />}
        {shown.length === 0 && data.items.length > 0 && (
          <EmptyState
            heading="h2"
            title="No matching servers"
            action={<Button onClick={() => void setFilters(NO_SERVER_FILTERS)}>Clear search and filters</Button>}
          >
            {total} are known here.
          </EmptyState>
        )}
        {data.items.length === 0 && <ServersEmpty />}
      </div>
      {connect !== null && (
        <ConnectDialog
          servers={data.items.map(({ name }) => name)}
          scope={scope}
          onScope={(next) => void setConnect({ scope: next })}
          onClose={() => void setConnect({ connect: null, scope: null })}
        />
      )}
    </>
  );
}
