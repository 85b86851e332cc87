import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { usePathname } from "next/navigation";
import { useQueryStates } from "nuqs";
import { Suspense } from "react";
import { CallsChart, formatNote } from "@/app/_components/executions/summary/call-charts";
import { useLiveRefresh } from "@/app/_live/use-live-refresh";
import { trpc } from "@/app/_trpc/client";
import { lazyPart } from "@/app/_ui/on-demand";
import { Segmented } from "@/app/_ui/segmented";
import { useTimeZone } from "@/app/_ui/time-zone";
import type { ExecutionFilter } from "@/lib/contract/execution";
import { LIST_ADDRESS, writeListAddress } from "./execution-filters";
import { concernsList } from "./live-match";
import { useThoroughAnswer } from "./use-thorough-answer";

const DurationChart = lazyPart(() => import("@/app/_components/executions/summary/duration-charts"), "DurationChart");

const LABELS = { calls: "Calls", duration: "Duration", none: "Hide" } as const;
/** The chart reads more than the list, so it refreshes less often. */
const INTERVAL_MS = 5_000;

/** The calls of the list over time. A step, or a range of them, becomes the list's time range. */
export function ExecutionsChart({ filter, paused }: { filter: ExecutionFilter; paused: boolean }) {
  const zone = useTimeZone();
  const pathname = usePathname();
  const [address, setAddress] = useQueryStates(LIST_ADDRESS);
  const view = address.chart;
  const options = trpc.executions.timeline.queryOptions({ filter, zone });
  const quick = useQuery({ ...options, enabled: view !== "none", placeholderData: keepPreviousData });
  const data = useThoroughAnswer(
    quick.data,
    view !== "none" && !quick.isPlaceholderData && quick.data?.more === true,
    trpc.executions.timeline.queryOptions({ filter, zone, thorough: true }),
  );
  useLiveRefresh(quick.refetch, (event) => !paused && view !== "none" && concernsList(filter, event), {
    intervalMs: INTERVAL_MS,
  });

  const toPath = (ends: { since: number; until: number }): string =>
    `${pathname}${writeListAddress({ ...address, range: "custom", ...ends })}`;
  const choice = (
    <Segmented label="Chart" value={view} options={LABELS} onChange={(next) => void setAddress({ chart: next })} />
  );
  if (view === "none") return <div className="border-line border-b bg-panel px-4 py-1.5">{choice}</div>;
  const { points = [], end = 0, more = false } = data ?? {};
  if (data !== undefined && points.length === 0) return null;
  const counted = points.reduce((sum, { calls }) => sum + calls, 0);
  const chart = { points, end, zone, toPath, action: choice, isPlain: true };
  const note = more ? formatNote(counted) : undefined;
  return (
    <div className="border-line border-b">
      {view === "calls" ? (
        <CallsChart {...chart} title="Calls over time" note={note} />
      ) : (
        <Suspense fallback={<div className="h-34 bg-panel px-4 pt-2">{choice}</div>}>
          <DurationChart {...chart} title="Duration over time" note={note} />
        </Suspense>
      )}
    </div>
  );
}
