import { randomUUID } from "node:crypto";
import { hostname } from "node:os";
import type { Logger } from "../engine/ports";
import type { InstanceDirectory } from "./instance-directory";
import type { InstanceStorage, StoredInstance } from "./storage";

const HEARTBEAT_MS = 10_000;
/** Six missed heartbeats. */
const GONE_AFTER_MS = 60_000;
/** Rows of ended copies are kept this long for people who look at old calls. */
const FORGET_AFTER_MS = 30 * 86_400_000;

/** The process that a copy runs in. */
export interface HostProcess {
  pid: number;
  host: string;
  /** Whether a process with this id exists on this host. */
  exists(pid: number): boolean;
}

export interface InstanceDirectoryPorts {
  storage: InstanceStorage;
  logger: Logger;
  /** This process when absent. */
  hostProcess?: HostProcess | undefined;
}

export function createInstanceDirectory(ports: InstanceDirectoryPorts): InstanceDirectory {
  const { storage, logger } = ports;
  const { pid, host, exists } = ports.hostProcess ?? { pid: process.pid, host: hostname(), exists: processExists };
  const self = { id: `inst_${randomUUID()}`, pid, host };
  let heartbeat: NodeJS.Timeout | undefined;

  function isAlive(other: StoredInstance): boolean {
    if (other.silentMs > GONE_AFTER_MS) return false;
    // Our own process id under another name belonged to an earlier process.
    return other.host !== host || (other.pid !== pid && exists(other.pid));
  }

  return {
    id: self.id,
    async start() {
      await storage.beat(self);
      await storage.deleteSilent(FORGET_AFTER_MS);
      heartbeat = setInterval(() => {
        storage.beat(self).catch((error: unknown) => logger.warn({ err: error }, "The heartbeat failed"));
      }, HEARTBEAT_MS).unref();
    },
    async isAlive(id) {
      if (id === self.id) return true;
      const [found] = await storage.list([id]);
      return found !== undefined && isAlive(found);
    },
    async find(id) {
      const [found] = await storage.list([id]);
      return found ?? null;
    },
    async findGone(ids) {
      const others = ids.filter((id) => id !== self.id);
      if (others.length === 0) return [];
      const known = new Map((await storage.list(others)).map((instance) => [instance.id, instance]));
      return others.flatMap((id) => {
        const found = known.get(id);
        return found !== undefined && isAlive(found) ? [] : [{ id, lastSeenAt: found?.lastSeenAt ?? null }];
      });
    },
    async close() {
      clearInterval(heartbeat);
      // The last heartbeat is when it ended.
      await storage.beat(self);
    },
  };
}

function processExists(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // A process of another user.
    return error instanceof Error && "code" in error && error.code === "EPERM";
  }
}
