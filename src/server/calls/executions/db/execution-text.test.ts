import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createScratchDatabase, quietLogger, type ScratchDatabase } from "../../../platform/db/database.test-support";
import { anEnd, aStart, INDEX_WORKER, systemClock } from "../execution.test-support";
import type { ExecutionStore } from "../execution-store";
import { createExecutionStore } from "./execution-store";

let scratch: ScratchDatabase;
let store: ExecutionStore;

beforeEach(async () => {
  scratch = await createScratchDatabase();
  store = createExecutionStore({ db: scratch.db, logger: quietLogger(), instanceId: "inst_a", clock: systemClock });
});
afterEach(async () => {
  await store.close();
  await scratch.remove();
});

async function record(argumentsText: string): Promise<string> {
  const start = aStart({ argumentsText });
  await store.record(start, anEnd(start));
  return start.id;
}

/** Throws where the index is not what the rows would give. */
const checkIndex = () =>
  scratch.db.raw.prepare("INSERT INTO ExecutionText (ExecutionText, rank) VALUES ('integrity-check', 1)").run();

const search = async (q: string) => (await store.list({ q })).items.map(({ id }) => id);

describe("the trigram index", () => {
  it("the end of a call that had been taken for interrupted replaces what was indexed", async () => {
    const start = aStart();
    await store.begin(start);
    const { raw } = scratch.db;
    raw.prepare("UPDATE Execution SET status = 'interrupted', error = 'the server ended' WHERE id = ?").run(start.id);
    await store.drainIndex();
    expect(await search("server ended")).toEqual([start.id]);
    await store.finish(start, anEnd(start, { resultText: '"true outcome"' }));
    await store.drainIndex();
    expect(await search("true outcome")).toEqual([start.id]);
    expect(await search("server ended")).toEqual([]);
    expect(checkIndex).not.toThrow();
  });

  it("deleting rows and VACUUM leave it right", async () => {
    const gone = await record('{"a":"needle one"}');
    const kept = await record('{"a":"needle two"}');
    await store.drainIndex();
    const { raw } = scratch.db;
    raw.prepare("DELETE FROM Execution WHERE id = ?").run(gone);
    raw.exec("VACUUM");
    const after = await record('{"a":"needle three"}');
    await store.drainIndex();
    expect(await search("needle")).toEqual([after, kept]);
    expect(checkIndex).not.toThrow();
  });

  it("finds a text whose rare characters stand among frequent ones, and one that has only frequent ones", async () => {
    await Promise.all(Array.from({ length: 400 }, (_, at) => record(`{"a":"delivery ${at % 7} to the harbour"}`)));
    const rare = await record('{"a":"zebra delivery 3 to the harbour"}');
    await Promise.all(Array.from({ length: 400 }, (_, at) => record(`{"a":"delivery ${at % 7} to the harbour"}`)));
    await store.drainIndex();
    expect(await search("zebra delivery")).toEqual([rare]);
    expect(await search("a delivery 3 to the harbour")).toEqual([rare]);
    expect(await store.count({ q: "delivery 3 to the harbour" }, { isThorough: true })).toMatchObject({ count: 115 });
    expect(await search("yebra delivery")).toEqual([]);
  });

  it("rows left unindexed by a server that ended are indexed by the next", async () => {
    await record('{"a":"leftover"}');
    await store.close();
    const pending = () => scratch.db.raw.prepare("SELECT count(*) FROM Execution WHERE searchable = 0").pluck().get();
    expect(Number(pending())).toBe(1);
    await scratch.reopen();
    store = createExecutionStore({ db: scratch.db, logger: quietLogger(), instanceId: "inst_b", clock: systemClock });
    await store.drainIndex();
    expect(Number(pending())).toBe(0);
    expect((await search("leftover")).length).toBe(1);
  });
});
