"use client";

import type { QueryKey } from "@tanstack/react-query";
import { useLiveRefresh } from "@/app/_live/use-live-refresh";
import { trpc } from "@/app/_trpc/client";
import { useInvalidate } from "@/app/_trpc/use-invalidate";

/** The list and the open server, but not resources and prompts, which call the MCP server. */
export function useServerKeys(): readonly QueryKey[] {
  const { servers, changes } = trpc;
  return [
    servers.list.queryKey(),
    servers.get.queryKey(),
    servers.tools.pathKey(),
    servers.changes.pathKey(),
    changes.waiting.queryKey(),
  ];
}

export function useRefreshServers(): () => Promise<void> {
  return useInvalidate(...useServerKeys());
}

/** Keeps servers current while the component is mounted. A changed tool may have another approval setting. */
export function useLiveServers(): void {
  useLiveRefresh(useRefreshServers(), ({ type }) => type === "servers" || type === "tools", { onMount: true });
}
