"use client";

import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useLiveRefresh } from "@/app/_live/use-live-refresh";
import { useTRPC } from "@/app/_trpc/client";
import type { ExecutionFilter } from "@/lib/contract/execution";
import { formatCount } from "@/lib/format";
import { concernsList } from "./live-match";

/** Counting reads more than the list does, so it follows at a distance. */
const INTERVAL_MS = 5_000;

/** How many calls match, up to the limit of counting. */
export function MatchCount({
  filter,
  filtered,
  paused,
}: {
  filter: ExecutionFilter;
  filtered: boolean;
  paused: boolean;
}) {
  const trpc = useTRPC();
  const options = trpc.executions.count.queryOptions({ filter });
  const { data, refetch } = useQuery({ ...options, placeholderData: keepPreviousData });
  useLiveRefresh(refetch, (event) => !paused && concernsList(filter, event), { intervalMs: INTERVAL_MS });
  if (data === undefined) return null;
  const { count, more } = data;
  const noun = filtered ? ["match", "matches"] : ["execution", "executions"];
  return (
    <span className="text-mute text-xs tabular-nums">
      {formatCount(count)}
      {more && "+"} {count === 1 && !more ? noun[0] : noun[1]}
    </span>
  );
}
