import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { change, selectRow } from "../sql";
import { createScratchPostgres, HAS_POSTGRES, type ScratchPostgres } from "./scratch-postgres.test-support";

describe.skipIf(!HAS_POSTGRES)("a database on PostgreSQL", () => {
  let scratch: ScratchPostgres;
  beforeEach(async () => {
    scratch = await createScratchPostgres();
  });
  afterEach(() => scratch.remove());

  it("keeps every text, also one with NUL and with the characters that stand for it", async () => {
    const texts = ["a\0b", "\0", "\ue000", "\ue0000\0\ue0001", "ä漢😀", "'\"?$1"];
    const { prisma, rows } = scratch.db;
    for (const [index, value] of texts.entries()) {
      await prisma.setting.create({ data: { key: `k${index}`, value, updatedAt: 1n } });
    }
    expect((await prisma.setting.findMany({ orderBy: { key: "asc" } })).map(({ value }) => value)).toEqual(texts);
    const found = await rows<{ value: string }>('SELECT value FROM "Setting" WHERE value = ?', "a\0b");
    expect(found).toEqual([{ value: "a\0b" }]);
    expect(await prisma.setting.count({ where: { value: { contains: "\0" } } })).toBe(3);
  });

  it("runs", async () => {
    const n = await scratch.db.transaction(function* () {
      yield* change('INSERT INTO "Setting" (key, value, "updatedAt") VALUES (?, ?, ?)', "a", "b", 9_000_000_000_000);
      return (yield* selectRow<{ updatedAt: number }>('SELECT "updatedAt" FROM "Setting" WHERE key = ?', "a"))
        ?.updatedAt;
    });
    expect(n).toBe(9_000_000_000_000);
  });
});
