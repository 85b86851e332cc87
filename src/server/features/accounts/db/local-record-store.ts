import { setImmediate as yieldTurn } from "node:timers/promises";
import type { Actor } from "../../../../lib/contract/actor";
import type { SqliteDatabase } from "../../../platform/db/database";
import type { LocalRecordStore } from "../local-records";

/** Between two turns of other work; a row with a large result takes a part of it alone. */
const SLICE_MS = 15;
const SLICE_ROWS = 500;

const TABLES = {
  calls: { table: "Execution", time: "queuedAt" },
  runs: { table: "Run", time: "startedAt" },
} as const;

export interface LocalRecordStorePorts {
  db: SqliteDatabase;
  localOwner: Actor;
}

export function createLocalRecordStore({ db, localOwner }: LocalRecordStorePorts): LocalRecordStore {
  const { raw } = db;

  /** `seq` of the last row before the moment: the index on actors knows it, so that counting reads no rows. */
  function findLast({ table, time }: (typeof TABLES)[keyof typeof TABLES], before: number): number {
    const last = raw.prepare<[number], number>(
      `SELECT seq FROM "${table}" WHERE "${time}" < ? ORDER BY "${time}" DESC LIMIT 1`,
    );
    return last.pluck().safeIntegers(false).get(before) ?? 0;
  }

  function count(kind: keyof typeof TABLES, before: number, limit: number): number {
    const of = TABLES[kind];
    const counted = raw.prepare<[string, number, number], number>(
      `SELECT COUNT(*) FROM (SELECT 1 FROM "${of.table}" WHERE "actorId" = ? AND seq <= ? LIMIT ?)`,
    );
    return counted.pluck().safeIntegers(false).get(localOwner.id, findLast(of, before), limit) ?? 0;
  }

  async function give(kind: keyof typeof TABLES, before: number, person: Actor): Promise<number> {
    const { table } = TABLES[kind];
    const last = findLast(TABLES[kind], before);
    const next = raw
      .prepare<[string, number, number, number], number>(
        `SELECT seq FROM "${table}" WHERE "actorId" = ? AND seq > ? AND seq <= ? ORDER BY seq LIMIT ?`,
      )
      .pluck()
      .safeIntegers(false);
    const update = raw.prepare(`UPDATE "${table}" SET "actorId" = ?, "actorName" = ? WHERE seq = ?`);
    let [given, cursor] = [0, 0];
    for (let more = true; more; ) {
      const giveSlice = raw.transaction(() => {
        const startedAt = performance.now();
        const rows = next.all(localOwner.id, cursor, last, SLICE_ROWS);
        more = rows.length > 0;
        for (const seq of rows) {
          update.run(person.id, person.name, seq);
          cursor = seq;
          given += 1;
          if (performance.now() - startedAt > SLICE_MS) return;
        }
      });
      await db.write(async () => giveSlice.immediate());
      await yieldTurn();
    }
    return given;
  }

  /** Tools from before there were owners belong to who created them. */
  const giveTools = raw.transaction(({ id, name }: Actor) => {
    const local = localOwner.id;
    raw.prepare('UPDATE "ToolOwner" SET "personId" = ?, "personName" = ? WHERE "personId" = ?').run(id, name, local);
    raw
      .prepare(
        `INSERT OR IGNORE INTO "ToolOwner" ("toolName", "personId", "personName")
         SELECT "toolName", ?, ? FROM "ToolVersion" WHERE cause = 'created' AND "actorId" = ?`,
      )
      .run(id, name, local);
    raw.prepare('UPDATE OR IGNORE "FavoriteTool" SET "personId" = ? WHERE "personId" = ?').run(id, local);
    raw.prepare('DELETE FROM "FavoriteTool" WHERE "personId" = ?').run(local);
  });

  return {
    count: async (before, limit) => ({ calls: count("calls", before, limit), runs: count("runs", before, limit) }),
    async claim(before, person) {
      const calls = await give("calls", before, person);
      const runs = await give("runs", before, person);
      await db.write(async () => giveTools.immediate(person));
      return { calls, runs };
    },
  };
}
