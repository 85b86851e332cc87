"use client";

import { onlineManager, type QueryKey, useQueryClient } from "@tanstack/react-query";
import {
  createContext,
  type ReactNode,
  useCallback,
  useContext,
  useEffect,
  useRef,
  useState,
  useSyncExternalStore,
} from "react";
import { trpc } from "@/app/_trpc/client";
import {
  getServerReach,
  holdRouterRequests,
  setReconnect,
  setServerReach,
  subscribeToServerReach,
} from "@/app/_ui/server-reach";
import type { LogLine } from "@/lib/contract/execution";
import type { LiveEvent } from "@/lib/contract/live-event";
import type { LiveSource, LiveState } from "./live-source";
import { createSharedLiveSource } from "./shared-live-source";
import { createThrottle } from "./throttle";

type Listener = (event: LiveEvent) => void;

interface LiveHub {
  state: LiveState;
  subscribe(listener: Listener): () => void;
}

const LiveContext = createContext<LiveHub>({ state: "connecting", subscribe: () => () => {} });

interface LiveProviderProps {
  children: ReactNode;
  /** The id of the page's user. */
  reader?: string;
  /** The id of the last event before the page's data was read on the server. */
  since?: string;
  source?: LiveSource;
}

/**
 * The tab's live events: browsers allow six connections to a server, so widgets share this one, and windows one stream
 * (decision 0094). It is closed while the tab is hidden; what was missed after the last id is replayed, or `reset` comes.
 * It also finds out whether the server is away: reads and the router wait until it is back, where they would fail.
 */
export function LiveProvider({ children, source: givenSource, reader = "", since }: LiveProviderProps) {
  const [source] = useState(() => givenSource ?? createSharedLiveSource(reader, since));
  const queryClient = useQueryClient();
  const visible = useDocumentVisible();
  const [state, setState] = useState<LiveState>("connecting");
  const listeners = useRef(new Set<Listener>());

  // Outside system: the server's event stream.
  useEffect(() => {
    if (!visible) return;
    const onState = (next: LiveState, retryAt: number | null = null): void => {
      setState(next);
      if (next === "lost" || next === "away") setServerReach({ state: next, retryAt });
      else if (next !== "connecting") setServerReach({ state: "here" });
    };
    const onEvent: Listener = (event) => {
      for (const listener of listeners.current) listener(event);
    };
    setReconnect(() => source.reconnect());
    return source.open({ onEvent, onState });
  }, [source, visible]);

  // Outside systems: the router, and the query cache, which would ask the browser whether the network is there.
  useEffect(() => {
    onlineManager.setEventListener((setOnline) =>
      subscribeToServerReach(() => setOnline(getServerReach().state === "here")),
    );
    return holdRouterRequests();
  }, []);

  const subscribe = useCallback((listener: Listener) => {
    listeners.current.add(listener);
    return () => void listeners.current.delete(listener);
  }, []);

  // Marks cached queries as stale when events arrive.
  useEffect(() => {
    const refresh = (queryKey: QueryKey) => queryClient.invalidateQueries({ queryKey });
    const counts = [trpc.system.info, trpc.executions.overview, trpc.executions.toolStats];
    const refreshSoon = createThrottle(() => Promise.all(counts.map((each) => refresh(each.queryKey()))), 1_000);
    const unsubscribe = subscribe((event) => {
      if (event.type === "reset") void queryClient.invalidateQueries();
      if (event.type === "tools" || event.type === "toolsets") void refresh(trpc.toolsets.pathKey());
      if (event.type === "tools") void refresh(trpc.tools.pathKey());
      if (event.type === "execution") void refresh(trpc.executions.get.queryKey({ id: event.execution.id }));
      if (event.type === "tools" || event.type === "execution") refreshSoon.fire();
    });
    return () => {
      unsubscribe();
      refreshSoon.cancel();
    };
  }, [queryClient, subscribe]);

  return <LiveContext value={{ state, subscribe }}>{children}</LiveContext>;
}

export function useLiveState(): LiveState {
  return useContext(LiveContext).state;
}

/** Calls the newest `handler` for each event while the component is mounted. */
export function useLiveEvents(handler: Listener): void {
  const { subscribe } = useContext(LiveContext);
  const newest = useRef(handler);
  // Outside system: the event stream.
  useEffect(() => {
    newest.current = handler;
  });
  useEffect(() => subscribe((event) => newest.current(event)), [subscribe]);
}

export interface LiveExecution {
  lines: LogLine[];
  /** The number of lines of the call before the first of `lines`. */
  before: number;
  progress: { progress: number; total: number | null; message: string | null } | null;
}

const NOTHING_HEARD: LiveExecution = { lines: [], before: 0, progress: null };
const MAX_HEARD_LINES = 500;

/**
 * Returns the log of a running execution since this component began to listen, at most the newest 500 lines; the execution
 * is read once more then, since its lines before that are in it.
 */
export function useExecutionLogs(executionId: string | null): LiveExecution {
  const queryClient = useQueryClient();
  const [heard, setHeard] = useState<LiveExecution & { id: string | null }>({ id: null, ...NOTHING_HEARD });
  useLiveEvents((event) => {
    if (event.type !== "execution_log" && event.type !== "execution_progress") return;
    if (event.executionId !== executionId) return;
    setHeard((before) => {
      const base = before.id === executionId ? before : { id: executionId, ...NOTHING_HEARD };
      if (event.type === "execution_log") {
        const lines = [...base.lines, event.line].slice(-MAX_HEARD_LINES);
        return { ...base, lines, before: event.before + 1 - lines.length };
      }
      return { ...base, progress: { progress: event.progress, total: event.total, message: event.message } };
    });
  });
  // Outside system: the event stream, to which this component listens from here on.
  useEffect(() => {
    if (executionId !== null) {
      void queryClient.invalidateQueries({ queryKey: trpc.executions.get.queryKey({ id: executionId }) });
    }
  }, [executionId, queryClient]);
  return heard.id === executionId ? heard : NOTHING_HEARD;
}

/** False also for a page that was left, which the browser may show again as it was. */
function useDocumentVisible(): boolean {
  const left = useRef(false);
  return useSyncExternalStore(
    (changed) => {
      const onPage = ({ type }: Event): void => {
        left.current = type === "pagehide";
        changed();
      };
      document.addEventListener("visibilitychange", changed);
      addEventListener("pagehide", onPage);
      addEventListener("pageshow", onPage);
      return () => {
        document.removeEventListener("visibilitychange", changed);
        removeEventListener("pagehide", onPage);
        removeEventListener("pageshow", onPage);
      };
    },
    () => !left.current && document.visibilityState !== "hidden",
    () => false,
  );
}
