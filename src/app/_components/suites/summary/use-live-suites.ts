import { useLiveRefresh } from "@/app/_live/use-live-refresh";
import { trpc } from "@/app/_trpc/client";
import { useInvalidate } from "@/app/_trpc/use-invalidate";

const INTERVAL_MS = 1_000;

/** Keeps suites, their evals and their runs current while the component is mounted. */
export function useLiveSuites(): void {
  const refresh = useInvalidate(
    trpc.suites.list,
    trpc.suites.get,
    trpc.suites.evals,
    trpc.suites.runs,
    trpc.suites.getRun,
    trpc.suites.candidates,
  );
  useLiveRefresh(refresh, "suites", {
    intervalMs: INTERVAL_MS,
    onMount: true,
  });
}
