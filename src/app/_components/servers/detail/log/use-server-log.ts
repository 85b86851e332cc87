import { useQueryClient, useSuspenseQuery } from "@tanstack/react-query";
import { useEffect, useEffectEvent, useRef } from "react";
import { useLiveEvents } from "@/app/_live/live-provider";
import { trpc } from "@/app/_trpc/client";
import type { ServerLogLine } from "@/lib/contract/server";
import { appendLines, keepNewerLines } from "./log-lines";

/** Lines are rendered in batches: a server may write thousands a second. */
const GATHER_MS = 120;

/** Returns a server's log, oldest first, growing as lines arrive. */
export function useServerLog(name: string): ServerLogLine[] {
  const queryClient = useQueryClient();
  const options = trpc.servers.log.queryOptions({ name });
  const { data } = useSuspenseQuery({
    ...options,
    structuralSharing: (known, fresh) => keepNewerLines(known as ServerLogLine[] | undefined, fresh as ServerLogLine[]),
  });
  const heard = useRef<ServerLogLine[]>([]);
  const timer = useRef<ReturnType<typeof setTimeout> | null>(null);

  const take = useEffectEvent(() => {
    timer.current = null;
    const next = appendLines(queryClient.getQueryData(options.queryKey) ?? [], heard.current);
    heard.current = [];
    if (next === null) void queryClient.invalidateQueries({ queryKey: options.queryKey });
    else queryClient.setQueryData(options.queryKey, next);
  });
  useLiveEvents((event) => {
    if (event.type !== "server_log" || event.server !== name) return;
    heard.current.push(event.line);
    timer.current ??= setTimeout(() => take(), GATHER_MS);
  });
  const readAgain = useEffectEvent(() => void queryClient.invalidateQueries({ queryKey: options.queryKey }));
  // Outside system: the cache, which lacks the lines that came before this component listened; the timer that gathers lines.
  useEffect(() => {
    readAgain();
    return () => {
      if (timer.current !== null) clearTimeout(timer.current);
    };
  }, []);
  return data;
}
