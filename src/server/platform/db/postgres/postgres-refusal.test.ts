import { describe, expect, it, onTestFinished } from "vitest";
import { type AppError, HTTP_STATUS } from "../../shared/app-error";
import type { PostgresDatabase } from "../database";
import { quietLogger } from "../database.test-support";
import { selectRow } from "../sql";
import { openPostgres } from "./postgres-database";
import { runPoolTransaction } from "./postgres-sql";
import { createPostgresDatabase, HAS_POSTGRES } from "./scratch-postgres.test-support";

const raise = (code: string): string => `DO $$ BEGIN RAISE EXCEPTION 'refused' USING ERRCODE = '${code}'; END $$`;

/** Each way in which stores ask the database. */
const WAYS: readonly (readonly [string, (db: PostgresDatabase, sql: string) => Promise<unknown>])[] = [
  ["a statement", (db, sql) => db.rows(sql)],
  ["a change", (db, sql) => db.change(sql)],
  ["a statement of the pool", (db, sql) => db.pool.query(sql)],
  ["a transaction of the pool", (db, sql) => runPoolTransaction(db.pool, (client) => client.query(sql))],
  [
    "a transaction",
    (db, sql) =>
      db.transaction(function* () {
        yield* selectRow(sql);
      }),
  ],
  ["Prisma", (db, sql) => db.prisma.$executeRawUnsafe(sql)],
];

async function open(options = "") {
  const { url, remove } = await createPostgresDatabase({ migrated: true });
  const address = new URL(url);
  if (options !== "") address.searchParams.set("options", options);
  const db = await openPostgres({ url: address.href, logger: quietLogger(), maxLockWaitMs: 50 });
  onTestFinished(async () => {
    await db.close();
    await remove();
  });
  return db;
}

async function readRefusal(work: Promise<unknown>): Promise<AppError> {
  const error = await work.then(
    () => null,
    (thrown: unknown) => thrown,
  );
  for (let cause: unknown = error; cause instanceof Error; cause = cause.cause) {
    if (cause.name === "AppError") return cause as AppError;
  }
  throw new Error(`not refused as an AppError: ${String(error)}`);
}

describe.skipIf(!HAS_POSTGRES)("PostgreSQL", () => {
  it.each(WAYS)("says in a sentence that it is busy or took too long, in %s, which is an outage", async (_way, ask) => {
    const db = await open();
    for (const code of ["55P03", "40P01", "40001", "57014"]) {
      const refusal = await readRefusal(ask(db, raise(code)));
      expect([code, HTTP_STATUS[refusal.code], refusal.message]).toEqual([
        code,
        503,
        expect.stringMatching(/^The database .*Try again/),
      ]);
    }
  });

  it.each(WAYS)(
    "refuses a value that a column does not take, in %s, as a mistake of the request",
    async (_way, ask) => {
      const db = await open();
      for (const code of ["22003", "22P02", "22P05", "22021"]) {
        expect([code, (await readRefusal(ask(db, raise(code)))).code]).toEqual([code, "INVALID"]);
      }
    },
  );

  it("refuses so where a lock is really held, and where a statement really takes too long", async () => {
    const db = await open("-c lock_timeout=100 -c statement_timeout=400");
    const holder = await db.pool.connect();
    await holder.query('BEGIN; LOCK TABLE "Tool" IN ACCESS EXCLUSIVE MODE');
    const reads = [db.rows('SELECT 1 FROM "Tool"'), db.prisma.tool.findMany()];
    const refusals = await Promise.all(reads.map(readRefusal));
    await holder.query("ROLLBACK");
    holder.release();
    for (const { message } of refusals) expect(message).toContain("a lock was not free in time");
    expect((await readRefusal(db.rows("SELECT pg_sleep(30)"))).message).toContain("took too long");
  });
});
