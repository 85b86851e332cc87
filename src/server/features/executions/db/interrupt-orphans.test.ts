import { afterEach, beforeEach, expect, it } from "vitest";
import { createScratchDatabase, quietLogger, type ScratchDatabase } from "../../../platform/db/database.test-support";
import { anEnd, aStart, systemClock } from "../execution.test-support";
import type { ExecutionStore } from "../execution-store";
import { createExecutionStore } from "./execution-store";
import { interruptOrphans } from "./interrupt-orphans";

const NOW = Date.now();

let scratch: ScratchDatabase;
let store: ExecutionStore;
beforeEach(async () => {
  scratch = await createScratchDatabase();
  const logger = quietLogger();
  store = createExecutionStore({ db: scratch.db, logger, instanceId: "inst_before", clock: systemClock });
});
afterEach(async () => {
  await store.close();
  await scratch.remove();
});

it("EXE-06 calls left running are interrupted, not before the newest call that is stored; others stay as they are", async () => {
  const [left, ended] = [aStart({ queuedAt: NOW }), aStart({ queuedAt: NOW + 40 })];
  const waiting = aStart({ queuedAt: NOW + 10, waiting: true });
  for (const start of [left, ended, waiting]) await store.begin(start);
  await store.finish(ended, anEnd(ended));
  const sweep = () => interruptOrphans(scratch.db, quietLogger());
  expect(await sweep()).toEqual([left.id]);
  expect(await sweep()).toEqual([]);
  const row = await scratch.db.prisma.execution.findUniqueOrThrow({ where: { id: left.id } });
  expect(row).toMatchObject({ status: "interrupted", errorKind: "interrupted", finishedAt: BigInt(NOW + 40) });
  expect((await store.find(ended.id))?.status).toBe("succeeded");
  expect((await store.find(waiting.id))?.status).toBe("waiting");
});
