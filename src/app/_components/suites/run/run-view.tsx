"use client";

import { useSuspenseQuery } from "@tanstack/react-query";
import { runningPollMs } from "@/app/_components/suites/summary/running-poll";
import { useLiveSuites } from "@/app/_components/suites/summary/use-live-suites";
import { trpc } from "@/app/_trpc/client";
import { EvalRunPage } from "./eval-run";
import { TestRunPage } from "./test-run";

/** A run of tests, of evals, or a replay. */
export function RunView({ id }: { id: string }) {
  const { data: run } = useSuspenseQuery({
    ...trpc.suites.getRun.queryOptions({ id }),
    refetchInterval: ({ state }) => runningPollMs(state.data?.status === "running"),
  });
  useLiveSuites();
  return run.kind === "evals" ? <EvalRunPage run={run} /> : <TestRunPage run={run} />;
}
