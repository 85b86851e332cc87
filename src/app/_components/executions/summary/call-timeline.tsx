import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useLiveRefresh } from "@/app/_live/use-live-refresh";
import { trpc } from "@/app/_trpc/client";
import { Link } from "@/app/_ui/link";
import { useTimeZone } from "@/app/_ui/time-zone";
import type { ExecutionFilter } from "@/lib/contract/execution";
import type { LiveEvent } from "@/lib/contract/live-event";
import { CallsChart, formatNote } from "./call-charts";
import { DurationChart } from "./duration-charts";

interface CallTimelineProps {
  filter: ExecutionFilter;
  /** The page of the same calls, for the time of a step. */
  toPath: (ends: { since: number; until: number }) => string;
  isMine: (event: LiveEvent) => boolean;
}

const INTERVAL_MS = 5_000;

/** Calls and durations over time, side by side. */
export function CallTimeline({ filter, toPath, isMine }: CallTimelineProps) {
  const zone = useTimeZone();
  const options = trpc.executions.timeline.queryOptions({ filter, zone });
  const { data, refetch } = useQuery({ ...options, placeholderData: keepPreviousData });
  useLiveRefresh(refetch, isMine, { intervalMs: INTERVAL_MS });
  const { points = [], end = 0, more = false } = data ?? {};
  const note = more ? formatNote(points.reduce((sum, { calls }) => sum + calls, 0)) : undefined;
  return (
    <>
      <CallsChart {...{ points, end, zone, toPath, note }} title="Calls over time" />
      <DurationChart {...{ points, end, zone, toPath, note }} title="Duration over time" />
    </>
  );
}

/** The calls of a server's tools, resources and prompts over time. */
export function ServerCalls({ name }: { name: string }) {
  const toPath = (filter: Record<string, string>): string =>
    `/executions?${new URLSearchParams({ server: name, ...filter })}`;
  return (
    <div className="flex min-h-0 flex-1 flex-col gap-4 overflow-auto p-4">
      <p className="text-mute text-xs">
        Calls of the server's tools, resources and prompts.{" "}
        <Link href={toPath({})} className="rounded-xs underline">
          Open in Executions
        </Link>
      </p>
      <div className="grid items-start gap-4 xl:grid-cols-2">
        <CallTimeline
          filter={{ server: name }}
          isMine={(event) => event.type === "execution"}
          toPath={({ since, until }) => toPath({ range: "custom", since: String(since), until: String(until) })}
        />
      </div>
    </div>
  );
}
