import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startPgbouncer } from "../../../../../scripts/pgbouncer.mjs";
import { findPgbouncer } from "../../../../../scripts/postgres-cluster.mjs";
import { waitUntil } from "../../../../lib/wait-until.test-support";
import type { DatabaseClaim, PostgresDatabase } from "../database";
import { quietLogger } from "../database.test-support";
import { claimDatabase, migrateDatabase, openDatabase } from "../open-database";
import { createPostgresDatabase, HAS_POSTGRES } from "./scratch-postgres.test-support";

const PGBOUNCER = HAS_POSTGRES ? findPgbouncer() : null;
if (PGBOUNCER === null) {
  process.emitWarning("No PgBouncer was found: its tests are SKIPPED. Debian: apt-get install pgbouncer");
}

describe.skipIf(PGBOUNCER === null)("behind PgBouncer in transaction mode", () => {
  let direct: string;
  let pooled: string;
  let remove: () => Promise<void>;
  let stop: () => Promise<void>;
  const open = async (url: string, directUrl: string | null = null) =>
    (await openDatabase({ url, directUrl, logger: quietLogger() })) as PostgresDatabase;

  beforeAll(async () => {
    ({ url: direct, remove } = await createPostgresDatabase({ migrated: false }));
    ({ url: pooled, stop } = await startPgbouncer(PGBOUNCER ?? "", direct));
  });
  afterAll(async () => {
    await stop();
    await remove();
  });

  it("two processes migrate at the same time, and each migration is applied once", async () => {
    const runs = await Promise.all([1, 2].map(() => migrateDatabase(pooled, process.cwd(), quietLogger())));
    const applied = runs.flatMap((run) => run.applied);
    expect(applied.length).toBeGreaterThan(0);
    expect(new Set(applied).size).toBe(applied.length);
  });

  it("says whether connections go through it", async () => {
    for (const [url, directUrl, route] of [
      [direct, null, { pooled: false, direct: false, sessions: true }],
      [pooled, null, { pooled: true, direct: false, sessions: false }],
      [pooled, direct, { pooled: true, direct: true, sessions: true }],
    ] as const) {
      const db = await open(url, directUrl);
      expect(db.route).toEqual(route);
      await db.close();
    }
  });

  it("refuses a direct address that is a pooler's, or another database's", async () => {
    await expect(open(pooled, pooled)).rejects.toThrow(
      "through a pooler in transaction mode. Name the PostgreSQL server",
    );
    const other = await createPostgresDatabase({ migrated: true });
    await expect(open(pooled, other.url)).rejects.toThrow("lead to different databases");
    await other.remove();
  });

  it("every transaction has its limits, and the session of others none of them", async () => {
    const read = (name: string) => `SELECT current_setting('${name}') AS value`;
    for (const [url, outside] of [
      [direct, "10s"],
      [pooled, "0"],
    ] as const) {
      const db = await open(url);
      const inside = await db.transaction(function* () {
        const found = [];
        for (const name of ["statement_timeout", "lock_timeout", "idle_in_transaction_session_timeout", "jit"]) {
          found.push((yield { sql: read(name), values: [] }).rows[0]);
        }
        return found;
      });
      expect(inside).toEqual([{ value: "1min" }, { value: "10s" }, { value: "5s" }, { value: "off" }]);
      expect(await db.row(read("lock_timeout"))).toEqual({ value: outside });
      await db.close();
    }
  });

  it("one process owns the database, until it releases it or its pooler is gone", async () => {
    const own = await startPgbouncer(PGBOUNCER ?? "", direct);
    const claim = await claimDatabase(own.url, "http://127.0.0.1:4000", quietLogger());
    for (const url of [pooled, direct]) {
      const second = claimDatabase(url, null, quietLogger());
      await expect(second).rejects.toThrow("in use by the Toolroom at http://127.0.0.1:4000");
    }
    await claim.release();
    await (await claimDatabase(direct, null, quietLogger())).release();
    const lost = await claimDatabase(own.url, null, quietLogger());
    expect(lost.watch?.problem()).toBeNull();
    await own.stop();
    await waitUntil(() => lost.watch?.problem() !== null, { what: "the loss" });
    const next = await waitForClaim(direct);
    await next.release();
    await lost.release();
  });
});

/** The server notices a connection's end after its client. */
async function waitForClaim(url: string): Promise<DatabaseClaim> {
  const tries: DatabaseClaim[] = [];
  await waitUntil(async () => {
    const claim = await claimDatabase(url, null, quietLogger()).catch(() => null);
    if (claim !== null) tries.push(claim);
    return claim !== null;
  });
  const [claim] = tries;
  if (claim === undefined) throw new Error("The database stays in use");
  return claim;
}
