import type { Logger } from "../engine/ports";
import type { InstanceDirectory } from "./instance-directory";
import type { Lease, Locks } from "./locks";
import type { LeaseStorage } from "./storage";

export interface LocksPorts {
  storage: LeaseStorage;
  instances: Pick<InstanceDirectory, "id" | "findGone">;
  logger: Logger;
}

export function createLocks({ storage, instances, logger }: LocksPorts): Locks {
  const instanceId = instances.id;
  const held = new Set<Lease>();

  function keep(key: string, fence: number, leaseMs: number): Lease {
    const lost = new AbortController();
    let renewedAt = performance.now();
    let isReleased = false;

    function end(reason: Error): void {
      clearInterval(timer);
      held.delete(lease);
      lost.abort(reason);
    }

    async function renew(): Promise<void> {
      const startedAt = performance.now();
      try {
        if (!(await storage.renew(key, instanceId, fence, leaseMs))) {
          return end(new Error(`Another process took over '${key}'`));
        }
        renewedAt = startedAt;
      } catch (error) {
        logger.warn({ err: error, key }, "A lease could not be renewed; retrying");
      }
      if (performance.now() - renewedAt > (leaseMs * 2) / 3)
        end(new Error(`The lease of '${key}' was not renewed in time`));
    }

    const timer = setInterval(() => void renew(), leaseMs / 3).unref();
    const lease: Lease = {
      fence,
      signal: lost.signal,
      async release() {
        if (isReleased) return;
        isReleased = true;
        end(new Error(`'${key}' was released`));
        await storage.release(key, instanceId, fence);
      },
    };
    held.add(lease);
    return lease;
  }

  async function takeFromGone(key: string, leaseMs: number): Promise<number | null> {
    const owner = await storage.findOwner(key);
    const [gone] = owner === null ? [] : await instances.findGone([owner]);
    return gone === undefined ? null : await storage.take(key, instanceId, leaseMs, gone.id);
  }

  return {
    async acquire(key, leaseMs) {
      const fence = (await storage.take(key, instanceId, leaseMs)) ?? (await takeFromGone(key, leaseMs));
      return fence === null ? null : keep(key, fence, leaseMs);
    },
    async close() {
      await Promise.all(Array.from(held, (lease) => lease.release()));
    },
  };
}
