import { expect, it } from "vitest";
import { createScratchPostgres, HAS_POSTGRES } from "./scratch-postgres.test-support";

it.skipIf(!HAS_POSTGRES).each([1, 5_000])(
  "a database that a later test uses again has lost %i rows, begins its sequences at one, and has another name",
  async (rows) => {
    const first = await createScratchPostgres({ keepsSchema: true });
    await first.db.pool.query(
      `INSERT INTO "AskedInput" ("server", "tool", "kind", "lastAt") SELECT 'a', 't' || n, 'form', 1 FROM generate_series(1, $1::int) n`,
      [rows],
    );
    await first.db.pool.query(`SELECT nextval('"Lease_fence"'), nextval('"Execution_seq_seq"')`);
    const readOid = async ({ db }: typeof first) =>
      (await db.pool.query("SELECT oid FROM pg_database WHERE datname = current_database()")).rows[0];
    const oid = await readOid(first);
    await first.remove();
    const second = await createScratchPostgres({ keepsSchema: true });
    try {
      expect(await readOid(second)).toEqual(oid);
      expect(second.url).not.toBe(first.url);
      expect((await second.db.pool.query('SELECT count(*)::int AS n FROM "AskedInput"')).rows).toEqual([{ n: 0 }]);
      const { rows: next } = await second.db.pool.query(
        `SELECT nextval('"Lease_fence"')::int AS fence, nextval('"Execution_seq_seq"')::int AS seq`,
      );
      expect(next).toEqual([{ fence: 1, seq: 1 }]);
    } finally {
      await second.remove();
    }
  },
);
