import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Database } from "../../../platform/db/database";
import { createScratchDatabase, quietLogger } from "../../../platform/db/database.test-support";
import { createScratchPostgres, HAS_POSTGRES } from "../../../platform/db/postgres/scratch-postgres.test-support";
import { anEnd, aStart, systemClock } from "../execution.test-support";
import type { ExecutionStore } from "../execution-store";
import type { PrivateCallStore } from "../private-calls";
import { createExecutionStore } from "./execution-store";
import { createPrivateCallStore } from "./private-calls";

const ADA = { id: "ada", name: "Ada" };
const BOB = { id: "bob", name: "Bob" };
const SERVERS = { personal: ["mail"], open: [] };

describe.each([
  { kind: "SQLite", create: createScratchDatabase, isPresent: true },
  { kind: "PostgreSQL", create: createScratchPostgres, isPresent: HAS_POSTGRES },
])("private calls on $kind", ({ create, isPresent }) => {
  let scratch: { db: Database; remove(): Promise<void> };
  let calls: PrivateCallStore;
  let store: ExecutionStore;
  beforeEach(async () => {
    if (!isPresent) return;
    scratch = await create();
    calls = createPrivateCallStore(scratch.db);
    store = createExecutionStore({ db: scratch.db, logger: quietLogger(), instanceId: "i", clock: systemClock });
  });
  afterEach(async () => {
    if (!isPresent) return;
    await store.close();
    await scratch.remove();
  });

  async function addRun(id: string, parentId: string | null): Promise<void> {
    await scratch.db.change(
      `INSERT INTO "Run" (id, status, source, provider, model, title, "actorId", "actorName", "startedAt", "parentId", settings)
       VALUES (?, 'succeeded', 'agent', 'p', 'm', 't', 'ada', 'Ada', 1, ?, '{}')`,
      id,
      parentId,
    );
  }

  async function record(actor: typeof ADA, more: Partial<ReturnType<typeof aStart>>, credential?: "personal") {
    const start = aStart({ actor, ...more });
    await store.record(start, anEnd(start, credential === undefined ? {} : { credential }));
    return start.id;
  }

  it.skipIf(!isPresent)("are found with the runs and reruns that they are in, and their readers", async () => {
    await addRun("run_1", null);
    await addRun("run_2", "run_1");
    const shared = await record(ADA, {});
    const personal = await record(ADA, {}, "personal");
    const ofServer = await record(ADA, { serverName: "mail" });
    const inRun = await record(BOB, { runId: "run_1", serverName: "mail" });
    const beside = await record(ADA, { runId: "run_2" });
    const all = [shared, personal, ofServer, inRun, beside];
    const hidden = await calls.hidden(all, "carl", SERVERS);
    expect(new Map(hidden.map(({ id, private: isPrivate }) => [id, isPrivate === 1]))).toEqual(
      new Map([
        [personal, true],
        [ofServer, true],
        [inRun, true],
        [beside, false],
      ]),
    );
    expect((await calls.hidden(all, "ada", SERVERS)).map(({ id, actor }) => [id, actor])).toEqual([[inRun, BOB]]);
    expect(await calls.readersOfRun("run_2", SERVERS)).toEqual(["bob", "ada"]);
    expect(await calls.readersOfRun("run_2", { personal: ["mail"], open: ["mail"] })).toBeNull();
    expect(await calls.ownersOfRun("run_1")).toEqual(["ada"]);
    const found = async (id: string) =>
      (await store.list({ q: "Wellington", readableBy: { id, ...SERVERS } })).items.map((item) => item.id);
    expect(await found("ada")).toEqual([beside, ofServer, personal, shared]);
    expect(await found("carl")).toEqual([shared]);
  });
});
