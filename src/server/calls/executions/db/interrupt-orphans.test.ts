import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Database } from "../../../platform/db/database";
import { createScratchDatabase, quietLogger } from "../../../platform/db/database.test-support";
import { createScratchPostgres, HAS_POSTGRES } from "../../../platform/db/postgres/scratch-postgres.test-support";
import { anEnd, aStart, systemClock } from "../execution.test-support";
import type { ExecutionStore } from "../execution-store";
import { createExecutionStore } from "./execution-store";
import { interruptOrphans } from "./interrupt-orphans";

const NOW = Date.now();

function describeOrphans(create: () => Promise<{ db: Database; remove(): Promise<void> }>): void {
  let scratch: { db: Database; remove(): Promise<void> };
  let store: ExecutionStore;
  beforeEach(async () => {
    scratch = await create();
    const logger = quietLogger();
    store = createExecutionStore({ db: scratch.db, logger, instanceId: "inst_before", clock: systemClock });
  });
  afterEach(async () => {
    await store.close();
    await scratch.remove();
  });

  it("EXE-06 calls left running are interrupted, not before the newest call that is stored; others stay as they are", async () => {
    const left = aStart({ queuedAt: NOW });
    const ended = aStart({ queuedAt: NOW + 40 });
    const waiting = aStart({ queuedAt: NOW + 10, waiting: true });
    for (const start of [left, ended, waiting]) await store.begin(start);
    await store.finish(ended, anEnd(ended));
    const sweep = () => interruptOrphans(scratch.db, quietLogger());
    expect(await sweep()).toEqual([left.id]);
    expect(await sweep()).toEqual([]);
    expect(await store.find(left.id)).toMatchObject({
      status: "interrupted",
      errorKind: "interrupted",
      finishedAt: NOW + 40,
    });
    expect((await store.find(ended.id))?.status).toBe("succeeded");
    expect((await store.find(waiting.id))?.status).toBe("waiting");
  });
}

describe("a start on SQLite", () => describeOrphans(createScratchDatabase));
describe.skipIf(!HAS_POSTGRES)("a start on PostgreSQL", () => describeOrphans(createScratchPostgres));
