import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { ExecutionFilter } from "../../../../../lib/contract/execution";
import { waitUntil } from "../../../../../lib/wait-until.test-support";
import { quietLogger } from "../../../../platform/db/database.test-support";
import {
  createScratchPostgres,
  HAS_POSTGRES,
  type ScratchPostgres,
} from "../../../../platform/db/postgres/scratch-postgres.test-support";
import { anEnd, aStart, systemClock } from "../../execution.test-support";
import type { ExecutionStore } from "../../execution-store";
import { createExecutionStore } from "../execution-store";

const CALLS = 6_000;
/** In the last thousand, and before the newest rows that are always compared. */
const NEEDLES = [10, 20, 30, 40, 5_990];

describe.skipIf(!HAS_POSTGRES)("search on PostgreSQL", () => {
  let scratch: ScratchPostgres;
  let store: ExecutionStore;
  beforeEach(async () => {
    scratch = await createScratchPostgres();
    await scratch.db.pool.query(
      `INSERT INTO "Execution" (id, status, "toolName", source, "actorId", "actorName", "queuedAt", "finishedAt", "instanceId", arguments)
       SELECT 'exec_' || i, 'succeeded', 'tool_' || i % 3, 'api', 'a', 'A', i, i + 1, 'i',
         '{"q":"everywhere","n":"' || CASE WHEN i IN (${NEEDLES.join(", ")}) THEN 'a hidden NÄDLE' ELSE 'hay' END || '"}'
       FROM generate_series(1, ${CALLS}) AS i`,
    );
    store = createExecutionStore({ db: scratch.db, logger: quietLogger(), instanceId: "i", clock: systemClock });
  });
  afterEach(async () => {
    await store.close();
    await scratch.remove();
  });

  async function searchAll(filter: ExecutionFilter): Promise<string[]> {
    const ids: string[] = [];
    let cursor: number | null = null;
    do {
      const page = await store.list(filter, { limit: 2, cursor });
      ids.push(...page.items.map(({ id }) => id));
      cursor = page.nextCursor as number | null;
    } while (cursor !== null);
    return ids;
  }

  const ALL = NEEDLES.toReversed().map((row) => `exec_${row}`);

  it("finds the same rows by the index, beside it, and without it, in order", async () => {
    const expectAll = async (): Promise<void> => {
      expect(await searchAll({ q: "hidden n" })).toEqual(ALL);
      expect(await searchAll({ q: "nädle" })).toEqual(ALL);
      expect(await searchAll({ q: "NÄDLE", tool: ["tool_1"] })).toEqual(["exec_40", "exec_10"]);
      expect(await searchAll({ q: "nädle", since: 15, until: 35 })).toEqual(["exec_30", "exec_20"]);
      expect(await store.count({ q: "hidden" }, { isThorough: true })).toEqual({ count: 5, more: false });
      expect(await searchAll({ q: "nowhere to be found" })).toEqual([]);
      expect((await store.list({ q: "everywhere" }, { limit: 3 })).items.map(({ id }) => id)).toEqual(
        [6_000, 5_999, 5_998].map((row) => `exec_${row}`),
      );
    };
    await expectAll();
    await store.drainIndex();
    await expectAll();
    // Not reached by the indexer yet, too large for it, and of a call that ended otherwise since.
    await scratch.db.pool.query(`DELETE FROM "ExecutionText" WHERE seq IN (20, 30, 40)`);
    await scratch.db.pool.query(
      `UPDATE "Execution" SET searchable = CASE seq WHEN 30 THEN 2 ELSE 0 END WHERE seq IN (20, 30, 40)`,
    );
    await expectAll();
    await scratch.db.pool.query('DROP INDEX "ExecutionText_trgm"');
    await store.close();
    store = createExecutionStore({ db: scratch.db, logger: quietLogger(), instanceId: "i", clock: systemClock });
    await expectAll();
  });

  it("a text of two characters is looked for in the newest 20,000 calls", async () => {
    await scratch.db.pool.query(
      `INSERT INTO "Execution" (id, status, "toolName", source, "actorId", "actorName", "queuedAt", "instanceId", arguments, searchable)
       SELECT 'later_' || i, 'succeeded', 't', 'api', 'a', 'A', i, 'i', '{}', 1 FROM generate_series(1, 14500) AS i`,
    );
    expect(await searchAll({ q: "äd" })).toEqual(["exec_5990"]);
  });

  it("the real end of a call that was taken for interrupted replaces what was indexed", async () => {
    const start = aStart();
    await store.begin(start);
    await scratch.db.pool.query(
      `UPDATE "Execution" SET status = 'interrupted', error = 'the server ended' WHERE id = $1`,
      [start.id],
    );
    await store.drainIndex();
    expect(await searchAll({ q: "server ended" })).toEqual([start.id]);
    await store.finish(start, anEnd(start, { resultText: '"true outcome"' }));
    await store.drainIndex();
    expect(await searchAll({ q: "true outcome" })).toEqual([start.id]);
    expect(await searchAll({ q: "server ended" })).toEqual([]);
  });

  it("deleted calls leave no text behind", async () => {
    await store.drainIndex();
    await store.delete(["exec_10", "exec_20"], { actor: "Ada", at: 1, includePinned: false });
    const texts = await scratch.db.row<{ found: number }>(
      'SELECT count(*) AS found FROM "ExecutionText" WHERE seq IN (10, 20)',
    );
    expect(texts?.found).toBe(0);
    expect(await searchAll({ q: "hidden" })).toEqual(ALL.slice(0, 3));
  });

  it("two servers index each call once", async () => {
    const other = createExecutionStore({ db: scratch.db, logger: quietLogger(), instanceId: "j", clock: systemClock });
    await Promise.all([store.drainIndex(), other.drainIndex()]);
    const count = () =>
      scratch.db.row<{ texts: number; waiting: number }>(
        `SELECT (SELECT count(*) FROM "ExecutionText") AS texts, (SELECT count(*) FROM "Execution" WHERE searchable <> 1) AS waiting`,
      );
    // A server that finds another one indexing stops, and the other one indexes the rest.
    await waitUntil(async () => {
      await store.drainIndex();
      return (await count())?.waiting === 0;
    });
    await other.close();
    expect(await count()).toEqual({ texts: CALLS, waiting: 0 });
  });
});
