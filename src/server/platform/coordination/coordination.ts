import type { Clock, Logger } from "../../engine/ports";
import type { CallKind, CallOutcome, CallRegistry } from "./call-registry";
import type { JobMonitor, Jobs } from "./jobs";
import { createJobs } from "./local-jobs";
import type { Lease, Locks } from "./locks";

/** The ports by which parts of a server reach each other's calls, schedule work and exclude each other. */
export interface Coordination {
  calls: CallRegistry;
  jobs: Jobs & JobMonitor;
  locks: Locks;
}

/** In memory: one process owns the database. */
export function createCoordination(ports: { clock: Clock; logger: Logger }): Coordination {
  return { calls: createCallRegistry(), jobs: createJobs(ports), locks: createLocks() };
}

/** All calls are this process's. */
export function createCallRegistry(): CallRegistry {
  const handlers = new Map<CallKind, Parameters<CallRegistry["handle"]>[1]>();

  async function reach(kind: CallKind, id: string, payload: string | null): Promise<CallOutcome> {
    return { status: (await handlers.get(kind)?.(id, payload)) === true ? "done" : "ended" };
  }

  return {
    handle: (kind, carryOut) => void handlers.set(kind, carryOut),
    cancel: (kind, id) => reach(kind, id, null),
    send: reach,
  };
}

/** Leases between the parts of this process. They end with it. */
export function createLocks(): Locks {
  const held = new Map<string, Lease>();
  // In seconds: greater than those of an earlier process.
  let fence = Math.floor(Date.now() / 1000);
  return {
    async acquire(key) {
      if (held.has(key)) return null;
      fence += 1;
      const ended = new AbortController();
      const lease: Lease = {
        fence,
        signal: ended.signal,
        async release() {
          if (held.get(key) === lease) held.delete(key);
          ended.abort(new Error(`'${key}' was released`));
        },
      };
      held.set(key, lease);
      return lease;
    },
    async close() {
      for (const lease of [...held.values()]) await lease.release();
    },
  };
}
