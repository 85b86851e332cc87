import { afterEach, beforeEach, describe, expect, it } from "vitest";
import Database from "../../../../../scripts/sqlite.mjs";
import type { ExecutionEnd } from "../../../engine/ports";
import { createScratchDatabase, quietLogger, type ScratchDatabase } from "../../../platform/db/database.test-support";
import { anEnd, aStart, INDEX_WORKER, systemClock } from "../execution.test-support";
import type { ExecutionStore, StoredFilter } from "../execution-store";
import { buildQuery, prepareNarrow, selectSeqs } from "./execution-queries";
import { createExecutionStore } from "./execution-store";
import { prepareRarest } from "./rarest-trigrams";
import { indexFileOf } from "./text-index-file";

let scratch: ScratchDatabase;
let store: ExecutionStore;

beforeEach(async () => {
  scratch = await createScratchDatabase();
  store = createExecutionStore({
    db: scratch.db,
    logger: quietLogger(),
    instanceId: "inst_a",
    clock: systemClock,
    indexWorker: INDEX_WORKER,
  });
});
afterEach(async () => {
  await store.close();
  await scratch.remove();
});

const TOOLS = ["one", "two", "three"];
const STATUSES: readonly ExecutionEnd["status"][] = ["succeeded", "failed", "timed_out", "cancelled", "interrupted"];

/** Calls of all tools and statuses; some tools were called by the name of another one. */
async function recordCalls(): Promise<void> {
  const calls = Array.from({ length: 240 }, async (_, at) => {
    const start = aStart({
      toolName: TOOLS[at % 3] ?? "",
      actor: { id: `user_${at % 4}`, name: "User" },
      toolset: at % 5 === 0 ? "set" : null,
      calledAs: at % 7 === 0 ? "two" : null,
    });
    const status = STATUSES[at % 11] ?? "succeeded";
    if (at % 29 === 0) return await store.begin(start);
    const errorKind = status === "failed" ? (at % 2 === 0 ? "tool_error" : "invalid_arguments") : null;
    await store.record(start, anEnd(start, { status, errorKind }));
  });
  await Promise.all(calls);
}

const FILTERS: readonly StoredFilter[] = [
  { status: ["failed"] },
  { status: ["invalid", "cancelled"] },
  { status: ["running"] },
  { status: ["failed"], tool: ["one"], actor: "user_1" },
  { tool: ["two"] },
  { tool: ["one", "three"], source: ["console"] },
  { toolset: "set" },
  { actor: "user_3" },
];

describe("a search under a filter", () => {
  it("leaves out calls by an index that are not of the filter, and none that are", async () => {
    await recordCalls();
    const { raw } = scratch.db;
    const ends = { below: Number.MAX_SAFE_INTEGER, above: 0 };
    const all = selectSeqs(raw, { query: buildQuery({}), below: ends.below, above: ends.above }, 1_000);
    expect(all).toHaveLength(240);
    for (const filter of FILTERS) {
      const query = buildQuery(filter);
      const kept = prepareNarrow(raw, query)(all);
      const matching = selectSeqs(raw, { query, below: ends.below, above: ends.above }, 1_000);
      expect(kept.length, JSON.stringify(filter)).toBeLessThan(all.length);
      expect(matching.length, JSON.stringify(filter)).toBeGreaterThan(0);
      expect(kept, JSON.stringify(filter)).toEqual(expect.arrayContaining(matching));
    }
    expect(prepareNarrow(raw, buildQuery({ status: ["succeeded", "failed"] }))(all)).toEqual(all);
  });

  it("finds the same calls where the filter matches more calls than a search reads without the index", async () => {
    await Promise.all(
      Array.from({ length: 2_300 }, async (_, at) => {
        const start = aStart({ argumentsText: `{"text":"${at % 500 === 0 ? "seldom" : "often"} seen"}` });
        await store.record(
          start,
          anEnd(start, { status: at % 9 === 0 ? "succeeded" : "failed", errorKind: "tool_error" }),
        );
      }),
    );
    await store.drainIndex();
    const found = await store.list({ q: "seldom seen", status: ["failed"] });
    const plain = (await store.list({ q: "seldom seen" })).items.filter(({ status }) => status === "failed");
    expect(plain.length).toBeGreaterThan(0);
    expect(found.items.map(({ id }) => id)).toEqual(plain.map(({ id }) => id));
  });
});

describe("the trigrams of a search", () => {
  it("are the rare ones, without those that most calls have", async () => {
    const { raw, filePath } = scratch.db;
    const start = aStart();
    await store.record(start, anEnd(start));
    await store.drainIndex();
    raw.prepare("UPDATE Execution SET seq = 60001").run();
    const index = new Database(indexFileOf(filePath));
    // A page of the index has some thousand rows of a trigram.
    index.exec(`
      INSERT INTO Texts (rowid, arguments, result, error, reason)
      WITH RECURSIVE n(i) AS (SELECT 2 UNION ALL SELECT i + 1 FROM n WHERE i < 60000)
      SELECT i, 'delivery ' || CASE WHEN i % 20000 = 0 THEN 'zyxwvu' ELSE '' END, NULL, NULL, NULL FROM n`);
    index.close();
    const pickRare = prepareRarest(raw);
    const rare = pickRare(["del", "eli", "zyx", "liv", "yxw", "xwv", "ive"]);
    expect([...rare].sort()).toEqual(["xwv", "yxw", "zyx"]);
    expect(pickRare(["del", "eli", "liv", "ive", "ver"]).length).toBeGreaterThan(0);
    expect(pickRare([])).toEqual([]);
  });
});
