import { setTimeout as sleep } from "node:timers/promises";
import type pg from "pg";
import type { RunEvent, RunSettings } from "../../../../lib/contract/run";
import type { PostgresDatabase } from "../../../platform/db/database";
import { jsonParameter } from "../../../platform/db/postgres/text-codec";
import { isLostConnection } from "../../../platform/db/storage-error";
import { type Append, listSums, type RunWrites, toRunRow } from "./run-writes";

const MAX_WAIT_MS = 5_000;
const PAUSE_MS = 100;

const INSERT_RUN = `INSERT INTO "Run" (id, status, source, provider, model, title, "actorId", "actorName", "startedAt", "parentId",
    "parentStep", "parentResults", "transcriptId", settings)
  SELECT id, status, source, provider, model, title, "actorId", "actorName", "startedAt", "parentId",
    "parentStep", "parentResults", "transcriptId", settings
  FROM json_to_recordset($1::json) AS v(id text, status text, source text, provider text, model text, title text, "actorId" text,
    "actorName" text, "startedAt" bigint, "parentId" text, "parentStep" int, "parentResults" text, "transcriptId" text, settings text)`;
const INSERT_EVENTS = `INSERT INTO "RunEvent" ("runId", "index", at, type, body) SELECT "runId", "index", at, type, body
  FROM json_to_recordset($1::json) AS v("runId" text, "index" int, at bigint, type text, body text)`;
/** After a lost connection the same rows may be there. */
const UNLESS_STORED = "ON CONFLICT DO NOTHING";
const SUMS = ["status", "provider", "model", "finishedAt", "activeMs", "modelCalls", "toolCalls", "failedToolCalls"]
  .concat(["inputTokens", "outputTokens", "cachedTokens", "reasoningTokens", "cost", "error"])
  .map((column) => `"${column}" = v."${column}"`)
  .join(", ");
const UPDATE_SUMS = `UPDATE "Run" r SET ${SUMS}, settings = coalesce(v.settings, r.settings)
  FROM json_to_recordset($1::json) AS v("runId" text, status text, provider text, model text, settings text, "finishedAt" bigint,
    "activeMs" float8, "modelCalls" int, "toolCalls" int, "failedToolCalls" int, "inputTokens" int, "outputTokens" int,
    "cachedTokens" int, "reasoningTokens" int, cost float8, error text)
  WHERE r.id = v."runId"`;

interface Write {
  name: string;
  text: string;
  rows: object[];
}

/** @param written settings that a run's row already holds, by run */
export function createPostgresRunWrites(
  { pool, write }: PostgresDatabase,
  written: ReadonlyMap<string, RunSettings>,
): RunWrites {
  async function commit(list: (isRepeated: boolean) => Write[]): Promise<void> {
    const giveUpAt = performance.now() + MAX_WAIT_MS;
    for (let isRepeated = false; ; isRepeated = true) {
      try {
        const writes = list(isRepeated).filter(({ rows }) => rows.length > 0);
        await (writes.length === 1 ? executeAll(pool, writes) : runTransaction(pool, writes));
        return;
      } catch (error) {
        if (!isLostConnection(error) || performance.now() + PAUSE_MS > giveUpAt) throw error;
        await sleep(PAUSE_MS);
      }
    }
  }

  const toEvents = (batch: readonly Append[], isRepeated: boolean): Write => ({
    name: `run_events${isRepeated ? "_again" : ""}`,
    text: isRepeated ? `${INSERT_EVENTS} ${UNLESS_STORED}` : INSERT_EVENTS,
    rows: batch.flatMap(({ runId, events }) => events.map((event) => toEventRow(runId, event))),
  });
  const append = (batch: readonly Append[]): Promise<void> =>
    commit((isRepeated) => [
      { name: "run_sums", text: UPDATE_SUMS, rows: listSums(batch, written) },
      toEvents(batch, isRepeated),
    ]);

  return {
    create: (run, events) =>
      write(() =>
        commit((isRepeated) => [
          {
            name: `run_row${isRepeated ? "_again" : ""}`,
            text: isRepeated ? `${INSERT_RUN} ${UNLESS_STORED}` : INSERT_RUN,
            rows: [toRunRow(run)],
          },
          toEvents([{ runId: run.id, events, sums: null }], isRepeated),
        ]),
      ),
    append: (batch) => write(() => append(batch)),
    async appendTogether(take) {
      await new Promise((resolve) => setImmediate(resolve));
      const batch = take();
      await write(() => append(batch));
    },
  };
}

function toEventRow(runId: string, { index, at, type, ...body }: RunEvent) {
  return { runId, index, at, type, body: JSON.stringify(body) };
}

async function executeAll(client: Pick<pg.ClientBase, "query">, writes: readonly Write[]): Promise<void> {
  for (const { name, text, rows } of writes) await client.query({ name, text, values: [jsonParameter(rows)] });
}

async function runTransaction(pool: pg.Pool, writes: readonly Write[]): Promise<void> {
  const client = await pool.connect();
  let broken: Error | undefined;
  try {
    await client.query("BEGIN");
    await executeAll(client, writes);
    await client.query("COMMIT");
  } catch (error) {
    await client.query("ROLLBACK").catch((failure: Error) => {
      broken = failure;
    });
    throw error;
  } finally {
    client.release(broken);
  }
}
