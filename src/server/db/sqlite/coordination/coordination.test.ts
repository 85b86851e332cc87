import { describe } from "vitest";
import { describeCallRegistry } from "../../../coordination/call-registry.test-support";
import { describeChangeFeed } from "../../../coordination/change-feed.test-support";
import type { TestCluster, TestCopy, TestCopyOptions } from "../../../coordination/cluster.test-support";
import { createCoordination } from "../../../coordination/coordination";
import { describeJobs } from "../../../coordination/jobs.test-support";
import { describeLocks } from "../../../coordination/locks.test-support";
import { type Database, openDatabase } from "../../database";
import { createScratchDatabase, quietLogger } from "../../database.test-support";
import { createCoordinationStorage } from "./coordination-storage";

const HOST = "test-host";

/** Copies in this process, each with a process id and a connection of its own, on one file. */
async function openSqliteCluster(): Promise<TestCluster> {
  const scratch = await createScratchDatabase();
  const alive = new Set<number>();
  const closers: (() => Promise<void>)[] = [];
  const databases = new Map<string, Database>();
  let calls = 0;

  async function openCopy({ clockAheadMs = 0, claimLimitMs }: TestCopyOptions = {}): Promise<TestCopy> {
    const db = await openDatabase({ url: scratch.url, logger: quietLogger() });
    const clock = { now: () => Date.now() + clockAheadMs, elapsed: () => performance.now() };
    const storage = createCoordinationStorage(db, clock);
    const pid = alive.size + closers.length + 1;
    alive.add(pid);
    const hostProcess = { pid, host: HOST, exists: (id: number) => alive.has(id) };
    const coordination = createCoordination({ storage, clock, logger: quietLogger(), hostProcess, claimLimitMs });
    await coordination.join();
    databases.set(coordination.instances.id, db);
    let isClosed = false;
    const end = async (): Promise<void> => {
      if (isClosed) return;
      isClosed = true;
      await coordination.stop();
      await coordination.close();
      await db.close();
    };
    closers.push(end);
    return {
      ...coordination,
      async crash() {
        isClosed = true;
        alive.delete(pid);
        storage.notices.close();
        await db.close();
        // What it still does reaches no database.
        void coordination.stop().catch(() => undefined);
      },
    };
  }

  return {
    openCopy,
    async addCall(copy) {
      calls += 1;
      const id = `exec_${calls}`;
      await databases.get(copy.instances.id)?.prisma.execution.create({
        data: {
          id,
          ...{ status: "running", toolName: "t", source: "console", actorId: "a", actorName: "A" },
          ...{ queuedAt: BigInt(Date.now()), instanceId: copy.instances.id, arguments: "{}" },
        },
      });
      return id;
    },
    async close() {
      for (const close of closers) await close();
      await scratch.remove();
    },
  };
}

describe("coordination on SQLite", () => {
  describeChangeFeed(openSqliteCluster);
  describeCallRegistry(openSqliteCluster);
  describeLocks(openSqliteCluster);
  describeJobs(openSqliteCluster);
});
