"use client";

import { useQueryClient } from "@tanstack/react-query";
import { useEffect, useRef } from "react";
import { useLiveEvents } from "@/app/_components/live/live-provider";
import { useTRPC } from "@/app/_trpc/client";
import { RECENT_INPUT, RUNNING_INPUT } from "./overview-queries";

/** However many calls a second there are, the lists are read again at most this often. */
const AT_MOST_EVERY_MS = 1_000;

/** Keeps the overview's two short lists of executions current while it is open. */
export function useLiveExecutionLists(): void {
  const trpc = useTRPC();
  const queryClient = useQueryClient();
  const timer = useRef<ReturnType<typeof setTimeout> | null>(null);

  useLiveEvents((event) => {
    if (event.type !== "execution" || timer.current !== null) return;
    timer.current = setTimeout(() => {
      timer.current = null;
      void queryClient.invalidateQueries({ queryKey: trpc.executions.list.queryKey(RECENT_INPUT) });
      void queryClient.invalidateQueries({ queryKey: trpc.executions.list.queryKey(RUNNING_INPUT) });
    }, AT_MOST_EVERY_MS);
  });

  // Outside system: the timer must not outlive the page.
  useEffect(
    () => () => {
      if (timer.current !== null) clearTimeout(timer.current);
      timer.current = null;
    },
    [],
  );
}
