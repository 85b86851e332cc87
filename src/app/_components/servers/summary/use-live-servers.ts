"use client";

import { useLiveRefresh } from "@/app/_live/use-live-refresh";
import { useTRPC } from "@/app/_trpc/client";
import { useInvalidate } from "@/app/_trpc/use-invalidate";

/** Reads the list and the open server again, but not resources and prompts, which call the MCP server. */
export function useRefreshServers(): () => Promise<void> {
  const { servers } = useTRPC();
  return useInvalidate(
    servers.list.queryKey(),
    servers.get.queryKey(),
    servers.tools.pathKey(),
    servers.changes.pathKey(),
    servers.heldChanges.pathKey(),
  );
}

/** Keeps servers current while the component is mounted. A changed tool may have another approval setting. */
export function useLiveServers(): void {
  useLiveRefresh(useRefreshServers(), ({ type }) => type === "servers" || type === "tools", { onMount: true });
}
