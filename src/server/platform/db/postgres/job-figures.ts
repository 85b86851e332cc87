import type pg from "pg";
import type { JobFailure, JobQueue } from "../../../../lib/contract/job";
import { decodeText } from "./text-codec";

/** The runs that have ended are kept for this long. */
export const KEPT_SECONDS = 24 * 60 * 60;
const MAX_FAILURES = 20;
/** Replaces pg-boss's text for a job whose worker gave no sign of life. */
const LOST = "The copy of the server that ran it gave no sign of life";

type Figures = Omit<JobQueue, "kind" | "everyMs">;

interface Waiting {
  kind: string;
  waiting: number;
  running: number;
  nextRunAt: number | null;
}

interface Ended {
  kind: string;
  succeeded: number;
  failed: number;
  lastRunAt: number;
  lastMs: number;
}

type Failed = Omit<JobFailure, "at" | "error"> & { kind: string; at: number | null; error: string | null };

const WAITING = `SELECT name AS kind, count(*) FILTER (WHERE state < 'active') AS waiting, count(*) FILTER (WHERE state = 'active') AS running,
  floor(extract(epoch FROM min(start_after) FILTER (WHERE state < 'active')) * 1000) AS "nextRunAt"
  FROM pgboss.job WHERE name = ANY($1) AND state <= 'active' GROUP BY name`;

const ENDED = `SELECT name AS kind, count(*) FILTER (WHERE state = 'completed') AS succeeded, count(*) FILTER (WHERE state = 'failed') AS failed,
  floor(extract(epoch FROM max(completed_on)) * 1000) AS "lastRunAt",
  (array_agg(extract(epoch FROM completed_on - started_on) * 1000 ORDER BY completed_on DESC))[1] AS "lastMs"
  FROM pgboss.archive WHERE archived_on > now() - interval '${KEPT_SECONDS} s' AND name = ANY($1) GROUP BY name`;

const FAILED = `SELECT name AS kind, data->>'key' AS key, (output->>'at')::float8 AS at, output->>'error' AS error,
  retry_count + 1 AS attempts, floor(extract(epoch FROM start_after) * 1000) AS "retryAt"
  FROM pgboss.job WHERE name = ANY($1) AND state <= 'active' AND output IS NOT NULL ORDER BY 3 DESC NULLS FIRST LIMIT $2`;

/** The state of the jobs of each kind for users, over all instances of the server. */
export async function readJobFigures(pool: pg.Pool, kinds: readonly string[]): Promise<(kind: string) => Figures> {
  const [waiting, ended, failed] = await Promise.all([
    pool.query<Waiting>(WAITING, [[...kinds]]),
    pool.query<Ended>(ENDED, [[...kinds]]),
    pool.query<Failed>(FAILED, [[...kinds], MAX_FAILURES * kinds.length]),
  ]);
  const find = <Row extends { kind: string }>({ rows }: { rows: Row[] }, kind: string): Partial<Row> =>
    rows.find((row) => row.kind === kind) ?? {};
  return (kind) => {
    const { waiting: waits = 0, running = 0, nextRunAt = null } = find(waiting, kind);
    const { lastRunAt = null, lastMs = null, succeeded = 0, failed: failures = 0 } = find(ended, kind);
    const unfinished = failed.rows.filter((row) => row.kind === kind).slice(0, MAX_FAILURES);
    return {
      waiting: waits,
      running,
      nextRunAt,
      lastRunAt,
      succeeded,
      failed: failures,
      lastMs: lastMs === null ? null : Math.round(lastMs),
      failures: unfinished.map(({ key, attempts, retryAt, at, error }) => ({
        key: decodeText(key),
        attempts,
        retryAt,
        at: at ?? retryAt ?? 0,
        error: error === null ? LOST : decodeText(error),
      })),
    };
  };
}
