import { createHash } from "node:crypto";
import type pg from "pg";
import type PgBoss from "pg-boss";
import type { Logger } from "../../../engine/ports";
import type { Job } from "../../coordination/jobs";
import type { PostgresDatabase } from "../database";
import { KEPT_SECONDS } from "./job-figures";
import { LOCK_SPACE } from "./postgres-sql";
import { decodeText, jsonParameter } from "./text-codec";

/** The object of the advisory lock, as `OWNER` of the claim. */
const SETUP = 2;
/** pg-boss abandons a job after a number of retries; with this one it is retried until it succeeds. */
const NO_LIMIT = 2_000_000_000;

export interface FetchedJob {
  kind: string;
  id: string;
  key: string;
  payload: string | null;
  attempts: number;
  /** When it was fetched. No later fetch of the job has the same, so what is written names it. */
  startedAt: string;
}

export interface DueJobs {
  kind: string;
  /** The time until the next job is due; null when none waits. */
  inMs: number | null;
  /** Whether a worker without a sign of life left a job. */
  isLeft: boolean;
}

interface JobData {
  key: string;
  payload: string | null;
}

const later = (parameter: string): string => `now() + ${parameter}::float8 * interval '1 ms'`;
/** The row of a fetched job, while it is still this fetch's. */
const MINE = `name = $1 AND id = $2 AND state = 'active' AND started_on >= $3::timestamptz AND started_on < $3::timestamptz + interval '1 ms'`;
/** The time for which a job was scheduled again while it ran. */
const AGAIN = `(data->>'again')::timestamptz`;

/** Into the runs that have ended. @param source rows of jobs @param took the parameter with the milliseconds */
const note = (source: string, state: string, took: string): string =>
  `INSERT INTO pgboss.archive (id, name, priority, state, retry_limit, retry_count, retry_delay, retry_backoff, start_after, started_on, expire_in,
     created_on, completed_on, keep_until)
   SELECT gen_random_uuid(), name, priority, '${state}'::pgboss.job_state, retry_limit, retry_count, retry_delay, retry_backoff, start_after,
     now() - ${took}::float8 * interval '1 ms', expire_in, created_on, now(), keep_until FROM ${source}`;

const toParameters = ({ kind, id, startedAt }: FetchedJob): string[] => [kind, id, startedAt];

/** The same for every instance: the primary key makes a job of a key the only one. */
function toId({ kind, key }: Pick<Job, "kind" | "key">): string {
  const hash = createHash("sha256").update(JSON.stringify([kind, key]));
  return hash.digest("hex").replace(/^(.{8})(.{4})(.{4})(.{4})(.{12}).*/, "$1-$2-$3-$4-$5");
}

/** Creates and migrates tables: one instance at a time, since pg-boss's statements for it stop each other. */
async function inTurn(db: Pick<PostgresDatabase, "connect">, work: () => Promise<void>): Promise<void> {
  const client = await db.connect();
  try {
    // A lock of the transaction, which a pooler between here and the server keeps together.
    await client.query("BEGIN");
    await client.query(`SELECT pg_advisory_xact_lock(${LOCK_SPACE}, ${SETUP})`);
    await work();
    await client.query("COMMIT");
  } finally {
    await client.end();
  }
}

/** @param holdMs for how long a worker keeps its job without a sign of life */
export async function openJobTable(
  db: Pick<PostgresDatabase, "pool" | "connect">,
  logger: Logger,
  holdMs: number,
): Promise<JobTable> {
  // Loaded where the database is PostgreSQL.
  const { default: Boss } = await import("pg-boss");
  const boss: PgBoss = new Boss({
    db: { executeSql: (text, values) => db.pool.query(text, values) },
    schema: "pgboss",
    schedule: false,
    supervise: false,
  });
  // Without a listener, an error would end the process.
  boss.on("error", (error) => logger.warn({ err: error }, "The queue of jobs reports an error"));
  await inTurn(db, async () => void (await boss.start()));
  return new JobTable(db, boss, holdMs);
}

/**
 * pg-boss's tables, in the schema `pgboss`. A row is a job that waits or runs; what has ended is in its archive. pg-boss makes the tables, hands a job
 * to one worker, and takes it back from a worker that is gone. It has no jobs that are ordered again while they run, no end of growing waits and
 * no fence, so those are statements of ours on its rows.
 */
export class JobTable {
  readonly #db: Pick<PostgresDatabase, "pool" | "connect">;
  readonly #pool: pg.Pool;
  readonly #boss: PgBoss;
  readonly #holdMs: number;
  /** Kinds whose tables exist. */
  readonly #known = new Set<string>();

  constructor(db: Pick<PostgresDatabase, "pool" | "connect">, boss: PgBoss, holdMs: number) {
    this.#db = db;
    this.#pool = db.pool;
    this.#boss = boss;
    this.#holdMs = holdMs;
  }

  async prepare(kinds: readonly string[]): Promise<void> {
    const isNew = (kind: string): boolean => !this.#known.has(kind);
    if (!kinds.some(isNew)) return;
    for (const { name } of await this.#boss.getQueues()) this.#known.add(name);
    const missing = kinds.filter(isNew);
    if (missing.length === 0) return;
    await inTurn(this.#db, async () => {
      for (const kind of missing) await this.#boss.createQueue(kind);
    });
    for (const kind of missing) this.#known.add(kind);
  }

  /** @returns whether it was put: false where there is a job of this key */
  async put({ kind, key, payload }: Omit<Job, "runAt">, inMs: number): Promise<boolean> {
    await this.prepare([kind]);
    const sent = await this.#boss.send(kind, jsonParameter({ key, payload: payload ?? null }), {
      id: toId({ kind, key }),
      singletonKey: key,
      startAfter: `${Math.max(0, inMs)} milliseconds`,
      retryLimit: NO_LIMIT,
      expireInSeconds: this.#holdMs / 1000,
    });
    return sent !== null;
  }

  /** Schedules like `Jobs.schedule`. */
  async order(job: Job, inMs: number): Promise<void> {
    const again = `jsonb_build_object('again', LEAST(${AGAIN}, ${later("$3")}))`;
    const sql = `UPDATE pgboss.job SET
        start_after = CASE WHEN state < 'active' THEN LEAST(start_after, ${later("$3")}) ELSE start_after END,
        data = CASE WHEN state < 'active' THEN $4::jsonb ELSE $4::jsonb || ${again} END
      WHERE name = $1 AND id = $2 AND state <= 'active'`;
    const data = jsonParameter({ key: job.key, payload: job.payload ?? null });
    const values = [job.kind, toId(job), Math.max(0, inMs), data];
    // The job may have ended between the two statements.
    for (;;) if ((await this.put(job, inMs)) || (await this.#change(sql, values))) return;
  }

  /** @param key null for all of the kind @returns how many wait */
  async advance(kind: string, key: string | null, inMs: number): Promise<number> {
    const { rowCount } = await this.#pool.query(
      `UPDATE pgboss.job SET start_after = LEAST(start_after, ${later("$3")})
       WHERE name = $1 AND state < 'active' AND ($2::text IS NULL OR singleton_key = $2)`,
      [kind, key, inMs],
    );
    return rowCount ?? 0;
  }

  async findDue(kinds: readonly string[]): Promise<DueJobs[]> {
    const { rows } = await this.#pool.query<Omit<DueJobs, "isLeft"> & { left: number | null }>(
      `SELECT name AS kind, min(extract(epoch FROM start_after - now()) * 1000) FILTER (WHERE state < 'active') AS "inMs",
         bool_or(state = 'active' AND started_on + expire_in < now()) AS "left"
       FROM pgboss.job WHERE name = ANY($1) AND state <= 'active' GROUP BY name ORDER BY 2`,
      [[...kinds]],
    );
    return rows.map(({ left, ...due }) => ({ ...due, isLeft: left === 1 }));
  }

  async fetch(kind: string, most: number): Promise<FetchedJob[]> {
    const found = await this.#boss.fetch<JobData>(kind, { batchSize: most, includeMetadata: true, priority: false });
    // The statement returns the rows in no order.
    const inOrder = (found ?? []).sort((one, other) => Number(one.startAfter) - Number(other.startAfter));
    return inOrder.map(({ id, data, retryCount, startedOn }) => ({
      kind,
      id,
      attempts: retryCount + 1,
      startedAt: startedOn.toISOString(),
      key: decodeText(data.key),
      payload: data.payload === null ? null : decodeText(data.payload),
    }));
  }

  /** A sign of life. @returns the ids of the jobs that are still these fetches' */
  async renew(jobs: readonly FetchedJob[]): Promise<Set<string>> {
    const { rows } = await this.#pool.query<{ id: string }>(
      `UPDATE pgboss.job j SET expire_in = now() - j.started_on + $4::float8 * interval '1 ms'
       FROM unnest($1::text[], $2::uuid[], $3::timestamptz[]) AS mine(name, id, at)
       WHERE j.name = mine.name AND j.id = mine.id AND j.state = 'active' AND j.started_on >= mine.at
         AND j.started_on < mine.at + interval '1 ms' RETURNING j.id`,
      [jobs.map(({ kind }) => kind), jobs.map(({ id }) => id), jobs.map(({ startedAt }) => startedAt), this.#holdMs],
    );
    return new Set(rows.map(({ id }) => id));
  }

  /** @param inMs when it runs again; null when it is done @returns whether the job was still this fetch's, as below */
  async succeed(job: FetchedJob, tookMs: number, inMs: number | null): Promise<boolean> {
    const isOver = `$4::float8 IS NULL AND ${AGAIN} IS NULL`;
    const sql = `WITH kept AS (
        UPDATE pgboss.job SET state = 'created', retry_count = 0, started_on = NULL, output = NULL, expire_in = $6::float8 * interval '1 ms',
          start_after = LEAST(${AGAIN}, ${later("$4")}), data = data - 'again'
        WHERE ${MINE} AND NOT (${isOver}) RETURNING *),
      done AS (DELETE FROM pgboss.job WHERE ${MINE} AND ${isOver} RETURNING *)
      ${note("(SELECT * FROM kept UNION ALL SELECT * FROM done) ended", "completed", "$5")}`;
    const values = [...toParameters(job), inMs, tookMs, this.#holdMs];
    // Ordered again at this moment, it is neither: what the second time sees.
    return (await this.#change(sql, values)) || (await this.#change(sql, values));
  }

  fail(job: FetchedJob, tookMs: number, inMs: number, error: string): Promise<boolean> {
    const sql = `WITH failed AS (
        UPDATE pgboss.job SET state = 'retry', start_after = LEAST(${AGAIN}, ${later("$4")}), data = data - 'again',
          expire_in = $6::float8 * interval '1 ms', output = $7::jsonb || jsonb_build_object('at', extract(epoch FROM now()) * 1000)
        WHERE ${MINE} RETURNING *)
      ${note("failed", "failed", "$5")}`;
    return this.#change(sql, [...toParameters(job), inMs, tookMs, this.#holdMs, jsonParameter({ error })]);
  }

  /** For another instance, now. Its attempt does not count. */
  handBack(job: FetchedJob): Promise<boolean> {
    const sql = `UPDATE pgboss.job SET state = CASE WHEN retry_count > 0 THEN 'retry' ELSE 'created' END::pgboss.job_state, started_on = NULL,
      start_after = now(), data = data - 'again', expire_in = $4::float8 * interval '1 ms' WHERE ${MINE}`;
    return this.#change(sql, [...toParameters(job), this.#holdMs]);
  }

  /** Takes jobs back from workers that give no sign of life. */
  takeBack(): Promise<void> {
    return this.#boss.expire();
  }

  /**
   * The database's clock may have been put back: what repeats waits no longer than its interval, and a worker that gives no sign of
   * life keeps its job no longer than any other.
   */
  async keepWithinRules(repeated: ReadonlyMap<string, number>): Promise<void> {
    for (const [kind, everyMs] of repeated) await this.advance(kind, "all", everyMs);
    const held = "$2::float8 * interval '1 ms'";
    await this.#pool.query(
      `UPDATE pgboss.job SET expire_in = now() - started_on + ${held}
       WHERE name = ANY($1) AND state = 'active' AND started_on + expire_in > now() + 2 * ${held}`,
      [[...this.#known], this.#holdMs],
    );
  }

  /** Forgets runs that ended long ago. */
  prune(): Promise<boolean> {
    return this.#change(`DELETE FROM pgboss.archive WHERE archived_on < now() - interval '${KEPT_SECONDS} s'`, []);
  }

  close(): Promise<void> {
    return this.#boss.stop({ graceful: false, close: false });
  }

  async #change(sql: string, values: unknown[]): Promise<boolean> {
    return ((await this.#pool.query(sql, values)).rowCount ?? 0) > 0;
  }
}
