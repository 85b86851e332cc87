import { addCosts, COST_COLUMNS } from "../../../spend/db/spend-sql";
import { FACT_COLUMNS } from "../../../statistics/db/call-facts";
import { UNCOUNTED_SQL } from "../counted-sources";
import { END_COLUMNS, MATCH_COLUMNS, ON_MATCHED_AGAIN, START_COLUMNS } from "../execution-statements";

/** The types of columns that are not text. */
const TYPES: Readonly<Record<string, string>> = {
  validationSkipped: "boolean",
  resultTruncated: "boolean",
  queuedAt: "bigint",
  startedAt: "bigint",
  finishedAt: "bigint",
  validateMs: "float8",
  timeoutMs: "float8",
  executionTimeMs: "float8",
  recordMs: "float8",
  runMs: "float8",
  resultBytes: "bigint",
  storedBytes: "bigint",
  modelChars: "bigint",
  resultChars: "bigint",
  version: "integer",
  recordOnly: "boolean",
  matchedAt: "bigint",
  cost: "bigint",
};

const list = (columns: readonly string[]) => columns.map((column) => `"${column}"`).join(", ");
const given = (columns: readonly string[]) => columns.map((column) => `v."${column}"`).join(", ");
const assign = (columns: readonly string[]) => columns.map((column) => `"${column}" = v."${column}"`).join(", ");
/** The rows of a statement: a JSON list of objects, the first parameter. */
const rowsOf = (columns: readonly string[]) =>
  `json_to_recordset($1::json) AS v(${columns.map((column) => `"${column}" ${TYPES[column] ?? "text"}`).join(", ")})`;

/** An instance that the others consider ended writes nothing more. The second parameter is the instance that writes. */
const FENCE = `NOT EXISTS (SELECT 1 FROM "Copy" c WHERE c."id" = $2 AND c."endedAt" IS NOT NULL)`;

const insert = (columns: readonly string[]) =>
  `INSERT INTO "Execution" (${list(columns)}) SELECT ${given(columns)} FROM ${rowsOf(columns)} WHERE ${FENCE}
   ON CONFLICT (id) DO NOTHING`;
const RETURNING = "RETURNING id, seq";

const COSTS = list(COST_COLUMNS);
const OTHER_COSTS = list(COST_COLUMNS.filter((column) => column !== "cost"));

/** Tells the statistics which calls a statement ended, and adds to the spend what they cost. */
const noting = (statement: string, returning: string) =>
  `WITH ended AS (${statement} ${returning}), noted AS (INSERT INTO "UncountedExecution" (seq) SELECT seq FROM ended),
     spent AS (${addCosts(`(SELECT ${COSTS}, 1 AS "calls" FROM ended) AS e`)})
   SELECT id, seq FROM ended`;
/** The columns of an ended call that `noting` reads. */
const ENDED = COST_COLUMNS.map((column) => `e."${column}"`).join(", ");
/** Builds an object of `CallFacts`. */
const FACTS = `json_build_object(${FACT_COLUMNS.map((column) => `'${column}', e."${column}"`).join(", ")})`;

const WITHOUT_ID = START_COLUMNS.filter((column) => column !== "id");
const PROCEEDING = ["startedAt", "instanceId", "definitionHash", "implementationType", "serverName", "timeoutMs"];
const APPROVAL = ["executionId", "requestedAt", "expiresAt", "mode"];

/** A compare-and-set: only what has not ended can end, and what runs only by the instance that runs it. */
export const END = `UPDATE "Execution" e SET ${assign(END_COLUMNS)} FROM ${rowsOf(["id", ...END_COLUMNS])}
    WHERE e.id = v.id AND (e.status = 'waiting' OR e.status = 'running' AND e."instanceId" = $2) AND ${FENCE}`;

/**
 * One statement for each kind of row in a batch, named, with all rows in one parameter: 2 to 3 times as fast as one statement
 * for each row. Which rows were taken is what it returns.
 */
export const JOURNAL = {
  definitions: `INSERT INTO "Definition" (hash, "toolName", json) SELECT v.hash, v."toolName", v.json
    FROM ${rowsOf(["hash", "toolName", "json"])} ON CONFLICT (hash) DO NOTHING`,
  begin: `${insert(["status", ...START_COLUMNS])} ${RETURNING}`,
  /** A call that was recorded while its server started, with the tool that was found since. */
  complete: `UPDATE "Execution" e SET status = v.status, ${assign(WITHOUT_ID)} FROM ${rowsOf(["status", ...START_COLUMNS])}
    WHERE e.id = v.id AND e.status = 'running' AND ${FENCE} RETURNING e.id, e.seq`,
  /** An existing request stays unchanged. */
  approvals: `INSERT INTO "Approval" (status, ${list(APPROVAL)}) SELECT 'open', v."executionId", v."requestedAt", v."expiresAt", v.mode
    FROM json_to_recordset($1::json) AS v("executionId" text, "requestedAt" bigint, "expiresAt" bigint, mode text)
    ON CONFLICT ("executionId") DO NOTHING`,
  matches: `INSERT INTO "RuleMatch" (${list(MATCH_COLUMNS)}) SELECT ${given(MATCH_COLUMNS)} FROM ${rowsOf(MATCH_COLUMNS)}
    ${ON_MATCHED_AGAIN}`,
  /** Only a call that has not begun can have its arguments changed. */
  edit: `UPDATE "Execution" e SET ${assign(["arguments", "argumentsPreview"])} FROM ${rowsOf(["id", "arguments", "argumentsPreview"])}
    WHERE e.id = v.id AND e.status = 'waiting'`,
  /** The definition may have changed while a user was waited for; what is recorded is the one that runs. */
  proceed: `UPDATE "Execution" e SET status = 'running', ${assign(PROCEEDING)} FROM ${rowsOf(["id", ...PROCEEDING])}
    WHERE e.id = v.id AND e.status = 'waiting' AND ${FENCE} RETURNING e.id, e.seq`,
  record: noting(insert([...START_COLUMNS, ...END_COLUMNS]), `${RETURNING}, ${COSTS}`),
  end: noting(END, `RETURNING e.id, e.seq, ${ENDED}`),
  /** Replaces the assumed end of a call by its real result, whose text has to be indexed again. */
  endInterrupted: `WITH guessed AS MATERIALIZED (
      SELECT e.* FROM ${rowsOf(["id"])} JOIN "Execution" e ON e.id = v.id WHERE e.status = 'interrupted' AND ${FENCE} FOR UPDATE OF e
    ), uncounted AS MATERIALIZED (
      SELECT u.seq FROM "UncountedExecution" u WHERE u.seq IN (SELECT seq FROM guessed) FOR UPDATE
    ), discounted AS (
      INSERT INTO "UncountedDeletion" ("facts") SELECT json_agg(${FACTS})::text FROM guessed e
      WHERE e.seq NOT IN (SELECT seq FROM uncounted) AND e.source NOT IN ${UNCOUNTED_SQL} HAVING count(*) > 0
    ), ended AS (
      UPDATE "Execution" e SET ${assign(END_COLUMNS)}, searchable = 0 FROM ${rowsOf(["id", ...END_COLUMNS])}
      WHERE e.id = v.id AND e.seq IN (SELECT seq FROM guessed) RETURNING e.id, e.seq, ${ENDED}
    ), spent AS (
      ${addCosts(`(SELECT ${COSTS}, 1 AS "calls" FROM ended UNION ALL SELECT ${OTHER_COSTS}, -cost, -1 FROM guessed) AS e`)}
    ), removed AS (DELETE FROM "ExecutionText" t USING ended WHERE t.seq = ended.seq
    ), noted AS (
      INSERT INTO "UncountedExecution" (seq) SELECT seq FROM ended WHERE seq NOT IN (SELECT seq FROM uncounted)
    )
    SELECT id FROM ended`,
  find: `SELECT id, seq, status, "instanceId", "queuedAt", "startedAt", "finishedAt" FROM "Execution" WHERE id = ANY($1::text[])`,
  forget: `WITH gone AS (DELETE FROM "Execution" WHERE id = ANY($1::text[]) AND "instanceId" = $2 AND status IN ('running', 'waiting') RETURNING id),
      unmatched AS (DELETE FROM "RuleMatch" m USING gone WHERE m."executionId" = gone.id)
    DELETE FROM "Approval" a USING gone WHERE a."executionId" = gone.id`,
} as const;

export type JournalStatement = keyof typeof JOURNAL;

export interface FoundRow {
  id: string;
  seq: number;
  status: string;
  instanceId: string;
  queuedAt: number;
  startedAt: number | null;
  finishedAt: number | null;
}
