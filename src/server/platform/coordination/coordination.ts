import type { Clock, Logger } from "../../engine/ports";
import { type Bulletin, createSilentBulletin } from "./bulletin";
import type { CallKind, CallOutcome, CallRegistry } from "./call-registry";
import { createSingleInstance, type Instance, type Instances } from "./instances";
import type { JobMonitor, Jobs } from "./jobs";
import { createJobs } from "./local-jobs";
import type { Lease, Locks } from "./locks";
import type { InstanceTiming } from "./postgres/instance-timing";
import { type CoordinationDatabase, createPostgresCoordination } from "./postgres/postgres-coordination";

/** The ports by which parts of a server, and its instances, reach each other's calls, schedule work, exclude and tell each other. */
export interface Coordination {
  copies: Instances;
  bulletin: Bulletin;
  calls: CallRegistry;
  jobs: Jobs & JobMonitor;
  locks: Locks;
  /** How what instances say travels, and how long it took lately; null for one process. */
  travel(): { by: "notifications" | "polling"; lagMs: number } | null;
}

interface CoordinationOptions {
  self: Instance;
  clock: Clock;
  logger: Logger;
  /** The database that several instances share; null where this process has it alone. */
  shared: CoordinationDatabase | null;
  timing?: Partial<InstanceTiming> | undefined;
}

export async function createCoordination({ shared, timing, ...ports }: CoordinationOptions): Promise<Coordination> {
  const jobs = createJobs(ports);
  const ownCalls = createCallRegistry();
  if (shared !== null) {
    return {
      ...(await createPostgresCoordination({ ...ports, db: shared, ownCalls, ...(timing && { timing }) })),
      jobs,
    };
  }
  return {
    copies: createSingleInstance(ports.self),
    bulletin: createSilentBulletin(),
    calls: ownCalls,
    jobs,
    locks: createLocks(),
    travel: () => null,
  };
}

/** A registry for a server with one process, which has all calls. */
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
  // Counts from the current second: greater than the fences of an earlier process.
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
