import { useSyncExternalStore } from "react";

/** Whether this tab reaches the server. */
export interface ServerReach {
  /** `lost`: a connection or a request broke off a moment ago; `away`: the server has not answered since. */
  state: "here" | "lost" | "away";
  /** The next attempt, in epoch milliseconds. */
  retryAt: number | null;
  /** A page was requested in this time and opens once the server answers. */
  holdsPage: boolean;
}

const HERE: ServerReach = { state: "here", retryAt: null, holdsPage: false };
let reach = HERE;
let reconnect = (): void => undefined;
const listeners = new Set<() => void>();

export const getServerReach = (): ServerReach => reach;

export function subscribeToServerReach(listener: () => void): () => void {
  listeners.add(listener);
  return () => {
    listeners.delete(listener);
  };
}

export function useServerReach(): ServerReach {
  return useSyncExternalStore(subscribeToServerReach, getServerReach, () => HERE);
}

export function setServerReach(change: Partial<ServerReach>): void {
  if (change.state === "here" && reach === HERE) return;
  reach = change.state === "here" ? HERE : { ...reach, ...change };
  for (const listener of [...listeners]) listener();
}

/** Resolves once the server answers; at once while it does. */
export function whenServerAnswers(): Promise<void> {
  if (reach.state === "here") return Promise.resolve();
  return new Promise((resolve) => {
    const stop = subscribeToServerReach(() => {
      if (reach.state !== "here") return;
      stop();
      resolve();
    });
  });
}

/** @param connect opens the tab's connection again, at once */
export function setReconnect(connect: () => void): void {
  reconnect = connect;
}

export function reconnectNow(): void {
  reconnect();
}

/** A request got no answer: the connection is opened again at once, to find out whether the server is away. */
export function reportNoAnswer(): void {
  if (reach.state !== "here") return;
  setServerReach({ state: "lost" });
  reconnect();
}

/** The answers of a proxy whose server is away, and of a server that starts or stops. */
export function isAwayStatus(status: number): boolean {
  return status === 502 || status === 503 || status === 504;
}

const HOLD_RETRY_MS = 1_000;

/**
 * Makes the router's requests wait while the server is away: it answers a failed one by opening the address as a document,
 * which would replace the console by the browser's error page.
 * @returns ends it
 */
export function holdRouterRequests(): () => void {
  const send = window.fetch.bind(window);
  const hold: typeof fetch = async (input, init) => {
    const headers = new Headers(init?.headers);
    if (!headers.has("rsc")) return send(input, init);
    const opensPage = !headers.has("next-router-prefetch");
    for (;;) {
      if (opensPage && reach.state !== "here") setServerReach({ holdsPage: true });
      await whenServerAnswers();
      try {
        const response = await send(input, init);
        if (!isAwayStatus(response.status)) return response;
      } catch (error) {
        if (init?.signal?.aborted) throw error;
      }
      reportNoAnswer();
      await new Promise((resolve) => setTimeout(resolve, HOLD_RETRY_MS));
    }
  };
  window.fetch = hold;
  return () => {
    if (window.fetch === hold) window.fetch = send;
  };
}
