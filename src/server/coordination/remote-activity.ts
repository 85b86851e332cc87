import type { LiveEvent } from "../../lib/contract";
import type { Logger } from "../engine/ports";
import { createSerialTask } from "./serial-task";
import type { ActivityEnd, ActivityStorage, StoredCall, StoredRunState } from "./storage";
import type { WriteNotices } from "./write-notices";

/** Calls of this copy lie between those of others: so many are passed over in one read. */
const READ_ROWS = 1000;
/** Where more happened at once, pages read everything again. */
const MAX_EVENTS = 5000;

export interface RemoteActivityPorts {
  storage: ActivityStorage;
  notices: WriteNotices;
  instanceId: string;
  logger: Logger;
}

/**
 * What other copies of the server store of calls and runs, as `execution` and `run` events. Nothing is written for it: it is
 * derived from the stored rows after a foreign commit. States that a row passed through between two reads are left out.
 */
export interface RemoteActivity {
  subscribe(listener: (event: LiveEvent) => void): void;
  /** Reports what is stored from now on. */
  join(): Promise<void>;
  start(): void;
  close(): Promise<void>;
}

export function createRemoteActivity({ storage, notices, instanceId, logger }: RemoteActivityPorts): RemoteActivity {
  const listeners: ((event: LiveEvent) => void)[] = [];
  /** The last known status of what may still change, by `seq` and by id. */
  const openCalls = new Map<number, StoredCall["status"]>();
  const openRuns = new Map<string, StoredRunState["status"]>();
  let end: ActivityEnd = { calls: 0, runEvents: 0 };
  let events: LiveEvent[] = [];
  let unsubscribe = (): void => {};

  function noteCall({ seq, instanceId: ownerId, ...execution }: StoredCall): void {
    const before = openCalls.get(seq);
    const isForeign = ownerId !== instanceId;
    // A call of this copy that waits may be decided, or ended, by another one.
    if (execution.status === "waiting" || (execution.status === "running" && isForeign)) {
      openCalls.set(seq, execution.status);
    } else {
      openCalls.delete(seq);
    }
    const isNews = before === undefined ? isForeign : before !== execution.status;
    if (isNews && events.length <= MAX_EVENTS) events.push({ type: "execution", execution });
  }

  async function readCalls(upTo: number): Promise<void> {
    if (openCalls.size > 0) for (const call of await storage.listCalls([...openCalls.keys()])) noteCall(call);
    while (end.calls < upTo) {
      const next = Math.min(end.calls + READ_ROWS, upTo);
      for (const call of await storage.listNewCalls(end.calls, next, instanceId)) noteCall(call);
      end.calls = next;
      // Calls that run here go on between two reads.
      await new Promise((resolve) => setImmediate(resolve));
    }
  }

  async function readRuns(upTo: number): Promise<void> {
    const changed = new Set(upTo > end.runEvents ? await storage.listRunsWithEvents(end.runEvents, upTo) : []);
    // SQLite gives row ids again that were freed, and may change them in `VACUUM`.
    if (upTo < end.runEvents) events.push({ type: "reset" });
    const runs = await storage.listRuns([...changed, ...openRuns.keys()]);
    for (const { instanceId: ownerId, ...run } of runs) {
      const isNews = ownerId !== instanceId && (changed.has(run.id) || openRuns.get(run.id) !== run.status);
      if (isNews && events.length <= MAX_EVENTS) events.push({ type: "run", run });
      if (ownerId !== instanceId && (run.status === "running" || run.status === "waiting")) {
        openRuns.set(run.id, run.status);
      } else {
        openRuns.delete(run.id);
      }
    }
    end.runEvents = upTo;
  }

  async function read(): Promise<LiveEvent[]> {
    const now = await storage.findEnd();
    await readCalls(now.calls);
    await readRuns(now.runEvents);
    const found: LiveEvent[] = events.length > MAX_EVENTS ? [{ type: "reset" }] : events;
    events = [];
    return found;
  }

  const task = createSerialTask(async () => {
    for (const event of await read()) for (const listener of listeners) listener(event);
  });

  function look(): void {
    task.run().catch((error: unknown) => {
      logger.warn({ err: error }, "Calls and runs of other server processes could not be read");
    });
  }

  return {
    subscribe: (listener) => void listeners.push(listener),
    async join() {
      end = await storage.findEnd();
      for (const call of await storage.listCalls(null)) noteCall(call);
      await readRuns(end.runEvents);
      events = [];
    },
    start() {
      unsubscribe = notices.subscribe(look);
      look();
    },
    async close() {
      unsubscribe();
      await task.stop();
    },
  };
}
