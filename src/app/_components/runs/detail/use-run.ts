import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useCallback, useEffect, useReducer, useRef } from "react";
import { useLiveEvents, useLiveState } from "@/app/_live/live-provider";
import { useLiveRefresh } from "@/app/_live/use-live-refresh";
import { trpc } from "@/app/_trpc/client";
import type { LiveEvent } from "@/lib/contract/live-event";
import type { RunDetail, RunEvent } from "@/lib/contract/run";
import { firstIndex, hearRun, isLive, type RunState, readOlder, readRun } from "./run-state";

const REREAD_MS = 150;
/** The limit of early events, for a first reading that does not arrive; missing ones are noticed and read again. */
const MOST_EARLY = 2_000;
/** While the event stream is away. */
const POLL_MS = 2_000;

/** Events of the log that the page has not read yet. */
export interface OlderEvents {
  count: number;
  load: () => void;
  loading: boolean;
  error: string | null;
}

interface Folded {
  id: string | null;
  read: RunDetail | undefined;
  state: RunState | null;
  /** Events that arrived live before the first reading: the server may have created them earlier. */
  early: readonly LiveEvent[];
}

type Change =
  | { type: "read"; id: string | null; read: RunDetail | undefined }
  | { type: "heard"; heard: LiveEvent[] }
  | { type: "older"; id: string; events: readonly RunEvent[] };

function fold(folded: Folded, change: Change): Folded {
  if (change.type === "heard") {
    if (folded.state === null) return { ...folded, early: [...folded.early, ...change.heard].slice(-MOST_EARLY) };
    return { ...folded, state: hearRun(folded.state, change.heard) };
  }
  if (change.type === "older") {
    if (folded.id !== change.id || folded.state === null) return folded;
    return { ...folded, state: readOlder(folded.state, change.events) };
  }
  const { id, read } = change;
  const { state: before, early } = folded.id === id ? folded : NOTHING;
  if (read === undefined) return { id, read, state: before, early };
  return { id, read, state: hearRun(readRun(before, read), early), early: NOTHING.early };
}

const NOTHING: Pick<Folded, "state" | "early"> = { state: null, early: [] };

/**
 * One run, kept current by live events, which are taken in once a frame; read again when some were missed and when
 * its status changed, since only the server knows the sums. `id` null: nothing yet.
 */
export function useRun(id: string | null) {
  const queryClient = useQueryClient();
  const offline = useLiveState() === "offline";
  const query = useQuery(
    trpc.runs.get.queryOptions(
      { id: id ?? "" },
      {
        enabled: id !== null,
        // The page's data may be older than the moment from which events are received.
        refetchOnMount: "always",
        refetchInterval: ({ state }) =>
          offline && state.data !== undefined && isLive(state.data.status) ? POLL_MS : false,
      },
    ),
  );
  const [folded, dispatch] = useReducer(fold, { id, read: query.data }, ({ id: first, read }) =>
    fold({ id: first, read: undefined, ...NOTHING }, { type: "read", id: first, read }),
  );
  if (folded.id !== id || folded.read !== query.data) dispatch({ type: "read", id, read: query.data });
  const state = folded.id === id ? folded.state : null;

  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const readAgain = useCallback((): void => {
    if (id === null) return;
    clearTimeout(timer.current);
    timer.current = setTimeout(
      () => void queryClient.invalidateQueries({ queryKey: trpc.runs.get.queryKey({ id }) }),
      REREAD_MS,
    );
  }, [id, queryClient]);
  const hear = useFrames(useCallback((heard: LiveEvent[]) => dispatch({ type: "heard", heard }), []));

  useLiveEvents((event) => {
    if (id === null) return;
    if (event.type === "hello") readAgain();
    if (concerns(event, id)) hear(event);
  });
  // Only the server knows the totals, so they are read again.
  useLiveRefresh(
    () => (id === null ? Promise.resolve() : query.refetch()),
    (event) => event.type === "run" && event.run.id === id,
    { intervalMs: REREAD_MS },
  );

  // A status arrived live while the first read was running: figures that the server derives from it are older.
  const outdated = state !== null && query.data !== undefined && state.detail.status !== query.data.status;
  const stale = state?.stale === true || outdated;
  // Requests from the server the events that did not arrive live; once for each answer.
  useEffect(() => {
    if (stale && query.data !== undefined) readAgain();
  }, [stale, query.data, readAgain]);
  // Outside system: the timer between two readings.
  useEffect(() => () => clearTimeout(timer.current), []);

  const loadOlder = useMutation({
    mutationFn: async (before: number) => {
      const input = { id: id ?? "", before };
      const page = await queryClient.fetchQuery(trpc.runs.events.queryOptions(input, { gcTime: 0 }));
      dispatch({ type: "older", id: input.id, events: page.events });
    },
  });
  const before = firstIndex(state?.events ?? []);
  const older: OlderEvents = {
    count: before,
    load: () => loadOlder.mutate(before),
    loading: loadOlder.isPending,
    error: loadOlder.error?.message ?? null,
  };

  return { state, error: query.error, refetch: query.refetch, older };
}

function concerns(event: LiveEvent, id: string): boolean {
  if (event.type === "execution") return true;
  if (event.type === "run") return event.run.id === id;
  return "runId" in event && event.runId === id;
}

/** Collects what comes between two frames: text arrives faster than a screen can show it. */
function useFrames(flush: (events: LiveEvent[]) => void): (event: LiveEvent) => void {
  const waiting = useRef<LiveEvent[]>([]);
  const frame = useRef<number | null>(null);
  // Outside system: the browser's frames.
  useEffect(
    () => () => {
      if (frame.current !== null) cancelAnimationFrame(frame.current);
      frame.current = null;
    },
    [],
  );
  return useCallback(
    (event) => {
      waiting.current.push(event);
      frame.current ??= requestAnimationFrame(() => {
        frame.current = null;
        const events = waiting.current;
        waiting.current = [];
        flush(events);
      });
    },
    [flush],
  );
}
