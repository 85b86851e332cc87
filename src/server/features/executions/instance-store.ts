import { randomUUID } from "node:crypto";
import { hostname } from "node:os";
import type { Database } from "../../db/database";
import type { Instance } from "../../db/generated/client";
import { IN_UNSUCCESSFUL } from "../../db/sqlite/execution-queries";
import type { Clock, Logger } from "../../engine/ports";

const HEARTBEAT_MS = 10_000;
const SWEEP_MS = 30_000;
/** Six missed heartbeats. */
const GONE_AFTER_MS = 60_000;
/** Dead instances are kept this long for people who look at old rows. */
const FORGET_AFTER_MS = 30 * 86_400_000;

const INTERRUPTED_ERROR = "Interrupted: the server ended while this call was running";

export interface InstanceStore {
  readonly instanceId: string;
  /** Registers this process, ends what dead ones left behind, and keeps doing both. Gives the ids that it ended. */
  start(): Promise<string[]>;
  /** Ends the running calls of processes that are gone and gives their ids. */
  markInterrupted(): Promise<string[]>;
  /** Whether that process still runs, this one among them. */
  isAlive(instanceId: string): Promise<boolean>;
  /** Stops the timers and signs this process off. */
  close(): Promise<void>;
}

export interface InstanceStoreOptions {
  db: Database;
  logger: Logger;
  clock: Clock;
  /** Hears of calls that turned out to be interrupted after the start. */
  onInterrupted?: (ids: string[]) => void;
}

export function createInstanceStore({ db, logger, clock, onInterrupted }: InstanceStoreOptions): InstanceStore {
  const { prisma, raw } = db;
  const self = { id: `inst_${randomUUID()}`, pid: process.pid, host: hostname() };
  let timers: NodeJS.Timeout[] = [];
  const instancesOfRunning = raw
    .prepare<[], string>(`SELECT DISTINCT instanceId FROM Execution WHERE status = 'running' AND ${IN_UNSUCCESSFUL}`)
    .pluck();
  const interrupt = raw
    .prepare<[string, number | null, string], string>(
      `UPDATE Execution SET status = 'interrupted', error = ?, errorKind = 'interrupted',
         finishedAt = max(coalesce(?, queuedAt), queuedAt)
       WHERE status = 'running' AND ${IN_UNSUCCESSFUL} AND instanceId = ? RETURNING id`,
    )
    .pluck();

  async function beat(): Promise<void> {
    const now = BigInt(clock.now());
    await db.write(() =>
      prisma.instance.upsert({
        where: { id: self.id },
        create: { ...self, startedAt: now, heartbeatAt: now },
        update: { heartbeatAt: now },
      }),
    );
  }

  async function markInterrupted(): Promise<string[]> {
    const ids = instancesOfRunning.all().filter((id) => id !== self.id);
    if (ids.length === 0) return [];
    const rows = await prisma.instance.findMany({ where: { id: { in: ids } } });
    const known = new Map(rows.map((row) => [row.id, row]));
    const ended: string[] = [];
    for (const id of ids) {
      const instance = known.get(id);
      if (instance !== undefined && isAlive(instance)) continue;
      const lastSeen = instance === undefined ? null : Number(instance.heartbeatAt);
      ended.push(...(await db.write(() => interrupt.all(INTERRUPTED_ERROR, lastSeen, id))));
    }
    if (ended.length > 0) logger.warn({ executions: ended }, "Calls of a server that ended are marked as interrupted");
    return ended;
  }

  function isAlive({ pid, host, heartbeatAt }: Instance): boolean {
    if (clock.now() - Number(heartbeatAt) > GONE_AFTER_MS) return false;
    // On another machine the heartbeat is all there is. Our own process id under another name is an earlier process.
    return host !== self.host || (pid !== self.pid && processExists(pid));
  }

  function every(ms: number, what: string, work: () => Promise<void>): NodeJS.Timeout {
    const timer = setInterval(() => {
      work().catch((error: unknown) => logger.warn({ err: error }, `${what} failed`));
    }, ms);
    return timer.unref();
  }

  return {
    instanceId: self.id,
    async start() {
      await beat();
      const forgotten = BigInt(clock.now() - FORGET_AFTER_MS);
      const ended = await markInterrupted();
      await db.write(() => prisma.instance.deleteMany({ where: { heartbeatAt: { lt: forgotten } } }));
      timers = [
        every(HEARTBEAT_MS, "The heartbeat of this server", beat),
        every(SWEEP_MS, "Looking for interrupted calls", async () => {
          const late = await markInterrupted();
          if (late.length > 0) onInterrupted?.(late);
        }),
      ];
      return ended;
    },
    markInterrupted,
    async isAlive(id) {
      if (id === self.id) return true;
      const instance = await prisma.instance.findUnique({ where: { id } });
      return instance !== null && isAlive(instance);
    },
    async close() {
      for (const timer of timers) clearInterval(timer);
      timers = [];
      // Old rows keep pointing at it; the last heartbeat is when it ended.
      await beat();
    },
  };
}

function processExists(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // Somebody else's process is a process.
    return error instanceof Error && "code" in error && error.code === "EPERM";
  }
}
