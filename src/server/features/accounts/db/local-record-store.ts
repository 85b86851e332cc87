import { setImmediate as yieldTurn } from "node:timers/promises";
import type { Actor } from "../../../../lib/contract/actor";
import type { Database } from "../../../platform/db/database";
import { change, type Steps, selectRows } from "../../../platform/db/sql";
import type { LocalRecordStore } from "../local-records";

/** The time between two pauses for other work; a row with a large result takes a slice alone. */
const SLICE_MS = 15;
const SLICE_ROWS = 500;

const TABLES = {
  calls: { table: "Execution", time: "queuedAt" },
  runs: { table: "Run", time: "startedAt" },
} as const;

export interface LocalRecordStorePorts {
  db: Database;
  localOwner: Actor;
}

export function createLocalRecordStore({ db, localOwner }: LocalRecordStorePorts): LocalRecordStore {
  /** `seq` of the last row before the moment: the index on actors knows it, so that counting reads no rows. */
  async function findLast({ table, time }: (typeof TABLES)[keyof typeof TABLES], before: number): Promise<number> {
    const sql = `SELECT seq FROM "${table}" WHERE "${time}" < ? ORDER BY "${time}" DESC LIMIT 1`;
    return (await db.row<{ seq: number }>(sql, before))?.seq ?? 0;
  }

  async function count(kind: keyof typeof TABLES, before: number, limit: number): Promise<number> {
    const of = TABLES[kind];
    const sql = `SELECT COUNT(*) AS found FROM (SELECT 1 FROM "${of.table}" WHERE "actorId" = ? AND seq <= ? LIMIT ?) AS some`;
    return (await db.row<{ found: number }>(sql, localOwner.id, await findLast(of, before), limit))?.found ?? 0;
  }

  async function give(kind: keyof typeof TABLES, before: number, user: Actor): Promise<number> {
    const { table } = TABLES[kind];
    const last = await findLast(TABLES[kind], before);
    const next = `SELECT seq FROM "${table}" WHERE "actorId" = ? AND seq > ? AND seq <= ? ORDER BY seq LIMIT ?`;
    const update = `UPDATE "${table}" SET "actorId" = ?, "actorName" = ? WHERE seq = ?`;
    let given = 0;
    let cursor = 0;
    for (let more = true; more; ) {
      const slice = await db.transaction(function* () {
        const startedAt = performance.now();
        const rows = yield* selectRows<{ seq: number }>(next, localOwner.id, cursor, last, SLICE_ROWS);
        const done: number[] = [];
        for (const { seq } of rows) {
          yield* change(update, user.id, user.name, seq);
          done.push(seq);
          if (performance.now() - startedAt > SLICE_MS) break;
        }
        return done;
      });
      more = slice.length > 0;
      given += slice.length;
      cursor = slice.at(-1) ?? cursor;
      await yieldTurn();
    }
    return given;
  }

  /** Gives tools from before owners existed to their creators. */
  function* giveTools({ id, name }: Actor): Steps<void> {
    const local = localOwner.id;
    yield* change('UPDATE "ToolOwner" SET "personId" = ?, "personName" = ? WHERE "personId" = ?', id, name, local);
    yield* change(
      `INSERT INTO "ToolOwner" ("toolName", "personId", "personName")
       SELECT "toolName", CAST(? AS TEXT), CAST(? AS TEXT) FROM "ToolVersion" WHERE cause = 'created' AND "actorId" = ?
       ON CONFLICT DO NOTHING`,
      id,
      name,
      local,
    );
    yield* change(
      `INSERT INTO "FavoriteTool" ("personId", "toolName")
       SELECT CAST(? AS TEXT), "toolName" FROM "FavoriteTool" WHERE "personId" = ? ON CONFLICT DO NOTHING`,
      id,
      local,
    );
    yield* change('DELETE FROM "FavoriteTool" WHERE "personId" = ?', local);
  }

  return {
    count: async (before, limit) => ({
      calls: await count("calls", before, limit),
      runs: await count("runs", before, limit),
    }),
    async claim(before, user) {
      const calls = await give("calls", before, user);
      const runs = await give("runs", before, user);
      await db.transaction(() => giveTools(user));
      return { calls, runs };
    },
  };
}
