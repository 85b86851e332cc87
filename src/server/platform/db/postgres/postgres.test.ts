import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Database } from "../database";
import { createScratchDatabase } from "../database.test-support";
import { AMONG, change, selectRow, selectRows } from "../sql";
import { isRowError, isUniqueViolation } from "../storage-error";
import { toPostgresSql } from "./postgres-sql";
import { createScratchPostgres, HAS_POSTGRES } from "./scratch-postgres.test-support";
import { jsonParameter } from "./text-codec";

const INSERT = 'INSERT INTO "Setting" (key, value, "updatedAt") VALUES (?, ?, ?)';

/** What PostgreSQL does in another way than SQLite, and what is done so that no store notices. */
function describeDatabase(create: () => Promise<{ db: Database; remove(): Promise<void> }>): void {
  let scratch: Awaited<ReturnType<typeof create>>;
  let db: Database;
  beforeEach(async () => {
    scratch = await create();
    db = scratch.db;
  });
  afterEach(() => scratch.remove());

  const readValue = async (key: string) => (await db.prisma.setting.findUnique({ where: { key } }))?.value;

  it("keeps every text, also with NUL and with the characters that stand for it in PostgreSQL", async () => {
    const texts = ["a\0b", "\0", "\ue000", "\ue0000\0\ue0001", "ä漢😀", "'\"?$1"];
    for (const [index, value] of texts.entries()) {
      await db.prisma.setting.create({ data: { key: `prisma${index}`, value, updatedAt: 1n } });
      await db.change(INSERT, `sql${index}`, value, 1);
      expect([await readValue(`prisma${index}`), await readValue(`sql${index}`)]).toEqual([value, value]);
    }
    const found = await db.rows<{ key: string }>('SELECT key FROM "Setting" WHERE value = ?', "a\0b");
    expect(found.map(({ key }) => key).sort()).toEqual(["prisma0", "sql0"]);
    expect(await db.prisma.setting.count({ where: { value: "\0" } })).toBe(2);
  });

  it("stores half a surrogate pair as the replacement character, in either way", async () => {
    await db.change(INSERT, "half", "a\ud800b", 1);
    await db.prisma.setting.create({ data: { key: "half2", value: "a\ud800b", updatedAt: 1n } });
    // SQLite's driver writes one for each byte.
    for (const key of ["half", "half2"]) expect(await readValue(key)).toMatch(/^a\ufffd{1,3}b$/);
  });

  it("reads numbers of 53 bits as numbers, booleans as 1 and 0, and counts as numbers", async () => {
    await db.change(INSERT, "k", "v", Number.MAX_SAFE_INTEGER);
    const row = await db.row(`SELECT "updatedAt", key = 'k' AS yes, key = 'x' AS no FROM "Setting"`);
    expect(row).toEqual({ updatedAt: Number.MAX_SAFE_INTEGER, yes: 1, no: 0 });
    expect(await db.row('SELECT count(*) AS found FROM "Setting"')).toEqual({ found: 1 });
    expect(await db.row('SELECT sum("updatedAt") AS total FROM "Setting"')).toEqual({ total: Number.MAX_SAFE_INTEGER });
  });

  it("sorts texts by their bytes, and compares them exactly", async () => {
    const keys = ["ä", "b", "Z", "_", "A", "a"];
    for (const key of keys) await db.change(INSERT, key, "", 1);
    const sorted = ["A", "Z", "_", "a", "b", "ä"];
    const rows = await db.rows<{ key: string }>('SELECT key FROM "Setting" ORDER BY key');
    expect(rows.map(({ key }) => key)).toEqual(sorted);
    const found = await db.prisma.setting.findMany({ orderBy: { key: "asc" } });
    expect(found.map(({ key }) => key)).toEqual(sorted);
    expect(await db.prisma.setting.count({ where: { key: "a" } })).toBe(1);
  });

  it("finds what is one of a list, also of an empty one, and changes rows by it", async () => {
    for (const key of ["a", "b", "c"]) await db.change(INSERT, key, "", 1);
    const select = `SELECT key FROM "Setting" WHERE key ${AMONG} ORDER BY key`;
    expect(await db.rows(select, ["c", "a", "x'\"\\,{}"])).toEqual([{ key: "a" }, { key: "c" }]);
    expect(await db.rows(select, [])).toEqual([]);
    expect(await db.change(`DELETE FROM "Setting" WHERE key NOT ${AMONG}`, ["a"])).toBe(2);
    expect(await db.change(`DELETE FROM "Setting" WHERE "updatedAt" ${AMONG}`, [1, 2])).toBe(1);
  });

  it("knows a duplicate by either way, and as an error of the row", async () => {
    await db.change(INSERT, "k", "v", 1);
    const failed = [
      await db.change(INSERT, "k", "w", 1).catch((error: unknown) => error),
      await db.prisma.setting
        .create({ data: { key: "k", value: "w", updatedAt: 1n } })
        .catch((error: unknown) => error),
    ];
    expect(failed.map(isUniqueViolation)).toEqual([true, true]);
    expect(isRowError(failed[0])).toBe(true);
    // One that a partial index refuses.
    const tool = { name: "t", definition: "{}", createdAt: 1n, updatedAt: 1n };
    await db.prisma.tool.create({ data: { id: "1", ...tool } });
    const second = await db.prisma.tool.create({ data: { id: "2", ...tool } }).catch((error: unknown) => error);
    expect(isUniqueViolation(second)).toBe(true);
    await db.prisma.tool.update({ where: { id: "1" }, data: { deletedAt: 2n } });
    await db.prisma.tool.create({ data: { id: "2", ...tool } });
  });

  it("undoes a transaction of which a part fails, and the connection can be used again", async () => {
    const attempt = db.transaction(function* () {
      yield* change(INSERT, "a", "v", 1);
      yield* change(INSERT, "a", "v", 1);
    });
    expect(isUniqueViolation(await attempt.catch((error: unknown) => error))).toBe(true);
    const thrown = db.transaction(function* () {
      yield* change(INSERT, "b", "v", 1);
      throw new Error("on purpose");
    });
    await expect(thrown).rejects.toThrow("on purpose");
    expect(await db.rows('SELECT key FROM "Setting"')).toEqual([]);
    await Promise.all(Array.from({ length: 20 }, (_, index) => db.change(INSERT, `k${index}`, "v", 1)));
    expect(await db.prisma.setting.count()).toBe(20);
  });

  it("lets transactions of one lock take turns, so that none writes on what it did not see", async () => {
    await db.change(INSERT, "count", "0", 1);
    const addOne = () =>
      db.transaction(function* () {
        const row = yield* selectRow<{ value: string }>(`SELECT value FROM "Setting" WHERE key = 'count'`);
        const next = String(Number(row?.value) + 1);
        yield* change(`UPDATE "Setting" SET value = ? WHERE key = 'count'`, next);
        return next;
      });
    const results = await Promise.all(Array.from({ length: 25 }, addOne));
    expect(results).toEqual(Array.from({ length: 25 }, (_, index) => String(index + 1)));
  });

  it("gives the rows of RETURNING and how many they are, in the order of a transaction", async () => {
    const keys = await db.transaction(function* () {
      yield* change(INSERT, "a", "1", 1);
      yield* change(INSERT, "b", "2", 1);
      return yield* selectRows<{ key: string }>('UPDATE "Setting" SET value = value || ? RETURNING key', "!");
    });
    expect(keys.map(({ key }) => key).sort()).toEqual(["a", "b"]);
    expect(await db.change('DELETE FROM "Setting" WHERE key = ? RETURNING key', "a")).toBe(1);
  });
}

describe("a database on SQLite", () => describeDatabase(createScratchDatabase));
describe.skipIf(!HAS_POSTGRES)("a database on PostgreSQL", () => {
  describeDatabase(createScratchPostgres);

  it("takes JSON apart whose texts hold NUL, half a pair or the escape", async () => {
    const { db, remove } = await createScratchPostgres();
    const texts = ["a\0b", "\ue000", "plain", "\\u0000"];
    const { rows } = await db.pool.query<{ text: string }>("SELECT text FROM json_to_recordset($1) AS t(text text)", [
      jsonParameter(texts.map((text) => ({ text }))),
    ]);
    expect(rows.map(({ text }) => text)).toEqual(texts);
    const { rows: half } = await db.pool.query("SELECT text FROM json_to_recordset($1) AS t(text text)", [
      jsonParameter([{ text: "a\ud800b" }]),
    ]);
    expect(half).toEqual([{ text: "a\ufffdb" }]);
    await remove();
  });

  it("keeps quoted names and texts of a statement, and translates the rest", () => {
    const sql = `SELECT "a?", '?' || ?, n + 1 FROM t WHERE +x = ? AND (+"y" > ?) AND z NOT ${AMONG} AND w ${AMONG}`;
    expect(toPostgresSql(sql)).toBe(
      `SELECT "a?", '?' || $1, n + 1 FROM t WHERE x = $2 AND ("y" > $3) AND z <> ALL ($4) AND w = ANY ($5)`,
    );
  });
});
