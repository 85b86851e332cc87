import type pg from "pg";
import { createKeyedMutex } from "../../shared/mutex";
import { AMONG, type Outcome, type SqlAccess, type SqlValue, type Statement, type Steps } from "../sql";
import type { WriteQueue } from "../write-queue";
import { toPostgresRefusal } from "./postgres-refusal";

/** Marks our advisory locks among those of other programs: "tool". */
export const LOCK_SPACE = 0x746f6f6c;
/** The ids of the instances of the server that live, in the same snapshot as what they own: for conditions on owners. */
export const LIVING_COPIES = `(SELECT "id" FROM "Copy" WHERE "endedAt" IS NULL)`;
const DEFAULT_LOCK = "catalog";

const translated = new Map<string, string>();
const MAX_TRANSLATED = 500;

/**
 * Question marks become `$1`, `$2`; SQLite's way to say "one of a list" becomes PostgreSQL's. The plus before a column, which
 * keeps SQLite from an index, is left out.
 */
export function toPostgresSql(sql: string): string {
  const known = translated.get(sql);
  if (known !== undefined) return known;
  if (translated.size >= MAX_TRANSLATED) translated.clear();
  let count = 0;
  const text = sql
    .replaceAll(`NOT ${AMONG}`, "<> ALL (?)")
    .replaceAll(AMONG, "= ANY (?)")
    // Quoted texts and names stay unchanged.
    .replace(/'[^']*'|(?<=[\s(])\+(?=["\w])|"[^"]*"|\?/g, (part) => {
      if (part === "+") return "";
      if (part !== "?") return part;
      count += 1;
      return `$${count}`;
    });
  translated.set(sql, text);
  return text;
}

type Queryable = Pick<pg.ClientBase, "query">;

async function execute(client: Queryable, { sql, values }: Statement): Promise<Outcome> {
  const { rows, rowCount } = await client.query({ text: toPostgresSql(sql), values: [...values] });
  return { rows, changes: rowCount ?? 0 };
}

/** Runs the steps of a transaction that is open on a client. */
export async function runSteps<T>(client: Queryable, steps: Steps<T>): Promise<T> {
  let step = steps.next();
  while (step.done !== true) step = steps.next(await execute(client, step.value));
  return step.value;
}

type Work<T> = (client: pg.ClientBase) => Promise<T>;
/** Begins reads that all see the same state. */
export const BEGIN_SNAPSHOT = "BEGIN READ ONLY; SET TRANSACTION ISOLATION LEVEL REPEATABLE READ; SET LOCAL jit = off";

/**
 * Runs work in a transaction on a connection, which leaves the pool where it cannot be rolled back. It is not in `pool.ts`, which
 * loads `pg`: a server on SQLite starts without it. @param begin opens the transaction
 */
export async function runPoolTransaction<T>(pool: pg.Pool, work: Work<T>, begin = "BEGIN"): Promise<T> {
  const client = await pool.connect();
  let broken: Error | undefined;
  try {
    await client.query(begin);
    const result = await work(client);
    await client.query("COMMIT");
    return result;
  } catch (error) {
    await client.query("ROLLBACK").catch((failure: Error) => {
      broken = failure;
    });
    throw toPostgresRefusal(error);
  } finally {
    client.release(broken);
  }
}

/** @param pool a pool whose clients are of `TextClient` */
export function createPostgresSql(pool: pg.Pool, write: WriteQueue["write"]): SqlAccess {
  // Those of this process take turns before they take a connection, which a read could use.
  const takeTurn = createKeyedMutex();
  const begin = (lock: string) => `BEGIN; SELECT pg_advisory_xact_lock(${LOCK_SPACE}, ${hashLock(lock)})`;
  const run = <T>(work: () => Steps<T>, lock: string): Promise<T> =>
    runPoolTransaction(pool, (client) => runSteps(client, work()), begin(lock));

  return {
    rows: async <Row>(sql: string, ...values: SqlValue[]) => (await execute(pool, { sql, values })).rows as Row[],
    row: async <Row>(sql: string, ...values: SqlValue[]) =>
      (await execute(pool, { sql, values })).rows[0] as Row | undefined,
    change: (sql, ...values) => write(async () => (await execute(pool, { sql, values })).changes),
    transaction: (work, lock = DEFAULT_LOCK) => write(() => takeTurn(lock, () => run(work, lock))),
  };
}

/** A signed number of 32 bits. */
export function hashLock(name: string): number {
  let hash = 0;
  for (const char of name) hash = (Math.imul(hash, 31) + (char.codePointAt(0) ?? 0)) | 0;
  return hash;
}
