import { useLiveRefresh } from "@/app/_live/use-live-refresh";
import { trpc } from "@/app/_trpc/client";
import { type Stale, useInvalidate } from "@/app/_trpc/use-invalidate";

/** The list and the open server, but not resources and prompts, which call the MCP server. */
export const SERVER_QUERIES: readonly Stale[] = [
  trpc.servers.list,
  trpc.servers.page,
  trpc.servers.names,
  trpc.servers.suggest,
  trpc.servers.problems,
  trpc.servers.overview,
  trpc.servers.get,
  trpc.servers.tools,
  trpc.servers.changes,
  trpc.changes.waiting,
];

export function useRefreshServers(): () => Promise<void> {
  return useInvalidate(...SERVER_QUERIES);
}

/** Keeps servers current while the component is mounted. A changed tool may have another approval setting. */
export function useLiveServers(): void {
  useLiveRefresh(useRefreshServers(), ({ type }) => type === "servers" || type === "tools", { onMount: true });
}
