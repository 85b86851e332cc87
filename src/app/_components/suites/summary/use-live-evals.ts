"use client";

import { useLiveRefresh } from "@/app/_live/use-live-refresh";
import { useTRPC } from "@/app/_trpc/client";
import { useInvalidate } from "@/app/_trpc/use-invalidate";

/** Keeps evals and their runs current while the component is mounted. */
export function useLiveEvals(): void {
  const { evals } = useTRPC();
  const refresh = useInvalidate(
    evals.suites.queryKey(),
    evals.list.queryKey(),
    evals.runs.infiniteQueryKey(),
    evals.run.queryKey(),
    evals.candidates.queryKey(),
  );
  useLiveRefresh(refresh, (event) => event.type === "evals", { onMount: true });
}
