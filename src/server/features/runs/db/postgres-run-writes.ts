import { setTimeout as sleep } from "node:timers/promises";
import type { RunEvent, RunSettings } from "../../../../lib/contract/run";
import { addRunCosts } from "../../../calls/spend/db/spend-sql";
import type { PostgresDatabase } from "../../../platform/db/database";
import { runPoolTransaction } from "../../../platform/db/postgres/postgres-sql";
import { jsonParameter } from "../../../platform/db/postgres/text-codec";
import { isLostConnection } from "../../../platform/db/storage-error";
import type { NewRun } from "../run-store";
import { type Append, listCosts, listSums, type RunWrites, toRunRow } from "./run-writes";

const MAX_WAIT_MS = 5_000;
/** How long appends wait for a database that restarts, so that a run loses nothing. */
const MAX_APPEND_WAIT_MS = 20_000;
const PAUSE_MS = 100;

const INSERT_RUN = `INSERT INTO "Run" (id, status, source, provider, model, title, "actorId", "actorName", "startedAt", "parentId",
    "parentStep", "parentResults", "transcriptId", owner, settings)
  SELECT id, status, source, provider, model, title, "actorId", "actorName", "startedAt", "parentId",
    "parentStep", "parentResults", "transcriptId", owner, settings
  FROM json_to_recordset($1::json) AS v(id text, status text, source text, provider text, model text, title text, "actorId" text,
    "actorName" text, "startedAt" bigint, "parentId" text, "parentStep" int, "parentResults" text, "transcriptId" text, owner text,
    settings text)`;
const EVENTS = `("runId" text, "index" int, at bigint, type text, body text)`;
const INSERT_EVENTS = `INSERT INTO "RunEvent" ("runId", "index", at, type, body) SELECT e."runId", e."index", e.at, e.type, e.body
  FROM json_to_recordset`;
/** After a lost connection the same rows may already be stored. */
const UNLESS_STORED = "ON CONFLICT DO NOTHING";
const SUMS = ["status", "provider", "model", "finishedAt", "activeMs", "modelCalls", "toolCalls", "failedToolCalls"]
  .concat(["inputTokens", "outputTokens", "cachedTokens", "reasoningTokens", "cost", "error"])
  .map((column) => `"${column}" = v."${column}"`)
  .join(", ");
/** Locks the rows of this instance's runs, so that none is taken over before its events are committed. */
const UPDATE_SUMS = `UPDATE "Run" r SET ${SUMS}, settings = coalesce(v.settings, r.settings),
    owner = CASE WHEN v."finishedAt" IS NULL THEN r.owner END
  FROM json_to_recordset($1::json) AS v("runId" text, status text, provider text, model text, settings text, "finishedAt" bigint,
    "activeMs" float8, "modelCalls" int, "toolCalls" int, "failedToolCalls" int, "inputTokens" int, "outputTokens" int,
    "cachedTokens" int, "reasoningTokens" int, cost float8, error text)
  WHERE r.id = v."runId" AND r.owner = $3 RETURNING r.id`;
/** All parts of the statement see the rows before the change. */
const ADD_COSTS = addRunCosts(
  `json_to_recordset($4::json) AS v("runId" text, provider text, model text, cost float8, day int, calls int)`,
  (cost) => `round((${cost} * 1000000)::numeric)::bigint`,
  'r."id" IN (SELECT own.id FROM own)',
);
const appendRows = (onConflict: string) => `WITH own AS (${UPDATE_SUMS}), spent AS (${ADD_COSTS}),
    added AS (${INSERT_EVENTS}($2::json) AS e${EVENTS} JOIN own ON own.id = e."runId" ${onConflict})
  SELECT id FROM own`;
const APPEND = appendRows("");
const APPEND_AGAIN = appendRows(UNLESS_STORED);
const FIND_STORED = `SELECT e."runId" AS id FROM "RunEvent" e JOIN json_to_recordset($1::json) AS v${EVENTS}
  ON e."runId" = v."runId" AND e."index" = v."index" AND e.at = v.at AND e.type = v.type AND e.body = v.body`;

/**
 * @param written settings that a run's row already holds, by run
 * @param owner the instance of the server that writes
 */
export function createPostgresRunWrites(
  { pool, write, watch }: PostgresDatabase,
  written: ReadonlyMap<string, RunSettings>,
  owner: string,
): RunWrites {
  /** Repeats a write whose connection broke: it may have been committed. */
  async function persist<T>(work: (isRepeated: boolean) => Promise<T>, maxWaitMs = MAX_WAIT_MS): Promise<T> {
    const giveUpAt = performance.now() + maxWaitMs;
    for (let isRepeated = false; ; isRepeated = true) {
      try {
        return await work(isRepeated);
      } catch (error) {
        if (!isLostConnection(error) || performance.now() + PAUSE_MS > giveUpAt) throw error;
        await sleep(PAUSE_MS);
      }
    }
  }

  async function append(batch: readonly Append[], isRepeated: boolean): Promise<ReadonlySet<string>> {
    if (batch.length === 0) return new Set();
    const events = batch.flatMap((entry) => entry.events.map((event) => toEventRow(entry.runId, event)));
    const { rows } = await pool.query<{ id: string }>({
      name: isRepeated ? "run_append_again" : "run_append",
      text: isRepeated ? APPEND_AGAIN : APPEND,
      values: [jsonParameter(listSums(batch, written)), jsonParameter(events), owner, jsonParameter(listCosts(batch))],
    });
    const refused = new Set(batch.map(({ runId }) => runId));
    for (const { id } of rows) refused.delete(id);
    if (refused.size === 0 || !isRepeated) return refused;
    // The earlier try may have ended the run, and with it the ownership.
    const last = [...refused].flatMap((id) => events.findLast(({ runId }) => runId === id) ?? []);
    const stored = await pool.query<{ id: string }>(FIND_STORED, [jsonParameter(last)]);
    for (const { id } of stored.rows) refused.delete(id);
    return refused;
  }

  const create = (run: NewRun, events: readonly RunEvent[], isRepeated: boolean): Promise<void> =>
    runPoolTransaction(pool, async (client) => {
      const onConflict = isRepeated ? ` ${UNLESS_STORED}` : "";
      const suffix = isRepeated ? "_again" : "";
      const row = jsonParameter([toRunRow(run, owner)]);
      await client.query({ name: `run_row${suffix}`, text: `${INSERT_RUN}${onConflict}`, values: [row] });
      const rows = jsonParameter(events.map((event) => toEventRow(run.id, event)));
      const text = `${INSERT_EVENTS}($1::json) AS e${EVENTS}${onConflict}`;
      await client.query({ name: `run_events${suffix}`, text, values: [rows] });
    });

  /** Waits while the database is away: only the owner of a run appends to it, so a late append is safe. */
  async function appendLater(batch: readonly Append[]): Promise<ReadonlySet<string>> {
    const giveUpAt = performance.now() + MAX_APPEND_WAIT_MS;
    while (watch.problem() !== null && performance.now() < giveUpAt) await sleep(PAUSE_MS);
    return await write(() => persist((isRepeated) => append(batch, isRepeated), MAX_APPEND_WAIT_MS));
  }

  return {
    create: (run, events) => write(() => persist((isRepeated) => create(run, events, isRepeated))),
    append: appendLater,
    async appendTogether(take) {
      await new Promise((resolve) => setImmediate(resolve));
      return await appendLater(take());
    },
  };
}

function toEventRow(runId: string, { index, at, type, ...body }: RunEvent) {
  return { runId, index, at, type, body: JSON.stringify(body) };
}
