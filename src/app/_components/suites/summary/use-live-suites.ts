"use client";

import { useLiveRefresh } from "@/app/_live/use-live-refresh";
import { trpc } from "@/app/_trpc/client";
import { useInvalidate } from "@/app/_trpc/use-invalidate";

const INTERVAL_MS = 1_000;

/** Keeps suites, their evals and their runs current while the component is mounted. */
export function useLiveSuites(): void {
  const { suites } = trpc;
  const refresh = useInvalidate(
    suites.list.queryKey(),
    suites.get.queryKey(),
    suites.evals.queryKey(),
    suites.runs.pathKey(),
    suites.getRun.queryKey(),
    suites.candidates.queryKey(),
  );
  useLiveRefresh(refresh, (event) => event.type === "suites" || event.type === "reset", {
    intervalMs: INTERVAL_MS,
    onMount: true,
  });
}
