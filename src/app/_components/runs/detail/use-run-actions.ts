import { useCallback, useState } from "react";
import { useAction } from "@/app/_kit/use-action";
import { trpc } from "@/app/_trpc/client";

/** Stop and resume a run. `stopping` holds from the press until the run says that it is over. */
export function useRunActions(id: string | null, going: boolean) {
  const { runs } = trpc;
  const [problem, setProblem] = useState<string | null>(null);
  const [stopped, setStopped] = useState(false);
  if (stopped && !going) setStopped(false);

  const stale = id === null ? [] : [runs.get.queryKey({ id })];
  const stopping = useAction(runs.stop, {
    stale,
    failed: "Couldn't stop the run",
    report: (failure) => {
      if (failure !== null) setStopped(false);
      setProblem(failure);
    },
  });
  const resuming = useAction(runs.resume, {
    stale,
    failed: "Couldn't resume the run",
    report: setProblem,
  });

  const { mutate: sendStop } = stopping;
  const stop = useCallback((): void => {
    if (id === null) return;
    setStopped(true);
    sendStop({ id });
  }, [id, sendStop]);
  const { mutate: sendResume } = resuming;
  const resume = useCallback((): void => {
    if (id !== null) sendResume({ id });
  }, [id, sendResume]);
  const dismiss = useCallback((): void => setProblem(null), []);

  return { stop, stopping: stopped && going, resume, resuming: resuming.isPending, problem, dismiss };
}
