import { hostname } from "node:os";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Coordination } from "../../coordination/coordination";
import { createTestCoordination } from "../../db/coordination.test-support";
import { createScratchDatabase, quietLogger, type ScratchDatabase } from "../../db/database.test-support";
import { createExecutionStore } from "../../db/sqlite/executions/execution-store";
import { createOrphanStore } from "../../db/sqlite/executions/orphan-store";
import { anEnd, aStart } from "./execution.test-support";
import { interruptOrphans } from "./interrupt-orphans";

let scratch: ScratchDatabase;
let coordination: Coordination;
let now = Date.now();
const clock = { now: () => now, elapsed: () => 0 };
/** Above the highest process id that Linux gives. */
const NO_SUCH_PID = 2 ** 22 + 1;

beforeEach(async () => {
  scratch = await createScratchDatabase();
  coordination = createTestCoordination(scratch.db, clock);
  await coordination.join();
});
afterEach(async () => {
  await coordination.stop();
  await coordination.close();
  await scratch.remove();
});

const sweep = (): Promise<string[]> =>
  interruptOrphans({
    orphans: createOrphanStore(scratch.db),
    instances: coordination.instances,
    logger: quietLogger(),
  });

async function runningCallOf(instanceId: string): Promise<string> {
  const store = createExecutionStore({ db: scratch.db, logger: quietLogger(), instanceId, clock });
  const start = aStart({ queuedAt: now });
  await store.begin(start);
  await store.close();
  return start.id;
}

async function otherInstance(values: { pid: number; host: string; heartbeatAt?: number }): Promise<string> {
  const id = `inst_${values.pid}_${values.host}`;
  const heartbeatAt = BigInt(values.heartbeatAt ?? now);
  await scratch.db.prisma.instance.create({
    data: { id, pid: values.pid, host: values.host, startedAt: heartbeatAt, heartbeatAt },
  });
  return id;
}

describe("calls left running", () => {
  it("by a process that is gone are interrupted, finished at its last heartbeat", async () => {
    const gone = await otherInstance({ pid: NO_SUCH_PID, host: hostname(), heartbeatAt: now + 40 });
    const id = await runningCallOf(gone);
    expect(await sweep()).toEqual([id]);
    const row = await scratch.db.prisma.execution.findUniqueOrThrow({ where: { id } });
    expect(row).toMatchObject({ status: "interrupted", errorKind: "interrupted", finishedAt: BigInt(now + 40) });
  });

  it("by an earlier process with our process id, or by an unknown one, are interrupted", async () => {
    const ids = [
      await runningCallOf(await otherInstance({ pid: process.pid, host: hostname() })),
      await runningCallOf("inst_never_registered"),
    ];
    expect((await sweep()).sort()).toEqual(ids.sort());
  });

  it("by a living process here, a living one elsewhere, or this one stay running", async () => {
    await runningCallOf(await otherInstance({ pid: process.ppid, host: hostname() }));
    await runningCallOf(await otherInstance({ pid: NO_SUCH_PID, host: "another-machine" }));
    await runningCallOf(coordination.instances.id);
    expect(await sweep()).toEqual([]);
  });

  it("elsewhere are interrupted when the heartbeat is a minute old", async () => {
    const far = await otherInstance({ pid: NO_SUCH_PID, host: "another-machine" });
    const id = await runningCallOf(far);
    await sweep();
    now += 61_000;
    expect(await sweep()).toEqual([id]);
    expect(await sweep()).toEqual([]);
  });

  it("and taken for dead by mistake keep what really happened", async () => {
    const store = createExecutionStore({ db: scratch.db, logger: quietLogger(), instanceId: "inst_asleep", clock });
    const start = aStart({ queuedAt: now });
    await store.begin(start);
    expect(await sweep()).toEqual([start.id]);
    await store.finish(start, anEnd(start));
    expect(await store.find(start.id)).toMatchObject({ status: "succeeded", error: null, errorKind: null });
    await store.close();
  });
});
