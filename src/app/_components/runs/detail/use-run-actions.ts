"use client";

import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useCallback, useState } from "react";
import { useTRPC } from "@/app/_trpc/client";

/** Stop and resume a run. `stopping` holds from the press until the run says that it is over. */
export function useRunActions(id: string | null, going: boolean) {
  const trpc = useTRPC();
  const queryClient = useQueryClient();
  const [problem, setProblem] = useState<string | null>(null);
  const [stopped, setStopped] = useState(false);
  if (stopped && !going) setStopped(false);

  const refresh = (): void => {
    if (id !== null) void queryClient.invalidateQueries({ queryKey: trpc.runs.get.queryKey({ id }) });
  };
  const stopping = useMutation(
    trpc.runs.stop.mutationOptions({
      onError: (error) => {
        setStopped(false);
        setProblem(`Couldn't stop the run: ${error.message}`);
      },
      onSettled: refresh,
    }),
  );
  const resuming = useMutation(
    trpc.runs.resume.mutationOptions({
      onMutate: () => setProblem(null),
      onError: (error) => setProblem(`Couldn't resume the run: ${error.message}`),
      onSettled: refresh,
    }),
  );

  const { mutate: sendStop } = stopping;
  const stop = useCallback((): void => {
    if (id === null) return;
    setStopped(true);
    setProblem(null);
    sendStop({ id });
  }, [id, sendStop]);
  const { mutate: sendResume } = resuming;
  const resume = useCallback((): void => {
    if (id !== null) sendResume({ id });
  }, [id, sendResume]);
  const dismiss = useCallback((): void => setProblem(null), []);

  return { stop, stopping: stopped && going, resume, resuming: resuming.isPending, problem, dismiss };
}
