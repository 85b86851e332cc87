import type { Database, SqliteDatabase } from "../../../platform/db/database";
import type { KeptExecution, KeptExecutions, UnusedDefinitions } from "../kept-execution";
import { getStoredDefinitions } from "./stored-definitions";

/** How long an `Idempotency-Key` identifies a call. */
const KEY_MS = 24 * 60 * 60_000;

const SELECT_BELOW = `SELECT "seq", "id", "toolName", "serverName", "source", "queuedAt", "parentId", "runId", "definitionHash",
    CASE WHEN "status" IN ('running', 'waiting') THEN 1 ELSE 0 END AS "isOpen", CASE WHEN "pinned" = true THEN 1 ELSE 0 END AS "isPinned",
    octet_length("arguments") + coalesce(octet_length("result"), 0) + coalesce(octet_length("logs"), 0) AS "bytes"
  FROM "Execution" WHERE "seq" < ? ORDER BY "seq" DESC LIMIT ?`;
const SELECT_NAMED = `SELECT e."seq" FROM "Execution" e WHERE e."seq" >= ? AND e."seq" <= ? AND (
    EXISTS (SELECT 1 FROM "Approval" a WHERE a."executionId" = e."id" AND a."status" = 'open')
    OR EXISTS (SELECT 1 FROM "IdempotencyKey" k WHERE k."targetId" = e."id" AND k."createdAt" > ?))`;
const SELECT_TASKS = `SELECT e."seq" FROM "GatewayTask" t JOIN "Execution" e ON e."id" = t."executionId"
  WHERE t."expiresAt" > ? AND e."seq" >= ? AND e."seq" <= ?`;

type Row = Omit<KeptExecution, "isOpen" | "isPinned"> & Record<"isOpen" | "isPinned", 0 | 1>;

/** Calls as retention reads them: the lengths of their texts are in the head of a row, so that long ones are not read. */
export function createKeptExecutions({ rows }: Pick<Database, "rows">): KeptExecutions {
  const readSeqs = async (sql: string, ...values: number[]): Promise<number[]> =>
    (await rows<{ seq: number }>(sql, ...values)).map(({ seq }) => seq);
  return {
    below: async (seq, limit) =>
      (await rows<Row>(SELECT_BELOW, seq, limit)).map((row) => ({
        ...row,
        isOpen: row.isOpen === 1,
        isPinned: row.isPinned === 1,
      })),
    named: async (first, last, now) => {
      const named = await readSeqs(SELECT_NAMED, first, last, now - KEY_MS);
      return new Set([...named, ...(await readSeqs(SELECT_TASKS, now, first, last))]);
    },
  };
}

/** PostgreSQL would read every call for each deleted definition, so definitions stay there. */
export function createUnusedDefinitions(db: Database): UnusedDefinitions {
  return db.kind === "sqlite" ? createSqliteDefinitions(db) : { delete: async () => 0 };
}

/** The number of definitions in one transaction. */
const BATCH = 100;

/** Definitions of calls have no index by which SQLite could find their calls, so the walk over all calls says which are in use. */
function createSqliteDefinitions({ raw, write }: Pick<SqliteDatabase, "raw" | "write">): UnusedDefinitions {
  const selectHashes = raw.prepare<[], { hash: string; toolName: string }>(
    'SELECT "hash", "toolName" FROM "Definition"',
  );
  const selectNewer = raw
    .prepare<[number], string>(
      'SELECT DISTINCT "definitionHash" FROM "Execution" WHERE "seq" > ? AND "definitionHash" IS NOT NULL',
    )
    .pluck();
  const remove = raw.prepare<[string]>('DELETE FROM "Definition" WHERE "hash" = ?');
  const removeAll = raw.transaction((hashes: readonly string[], upTo: number): string[] => {
    const newer = new Set(selectNewer.all(upTo));
    const gone = hashes.filter((hash) => !newer.has(hash));
    for (const hash of gone) remove.run(hash);
    return gone;
  });

  /** The check of the foreign key would read every call for each definition; `removeAll` has just made it. */
  function removeUnchecked(hashes: readonly string[], upTo: number): string[] {
    raw.pragma("foreign_keys = OFF");
    try {
      return removeAll.immediate(hashes, upTo);
    } finally {
      raw.pragma("foreign_keys = ON");
    }
  }

  return {
    async delete({ used, newestSeq, openTools }) {
      const unused = selectHashes
        .all()
        .filter(({ hash, toolName }) => !used.has(hash) && !openTools.has(toolName))
        .map(({ hash }) => hash);
      let deleted = 0;
      for (let from = 0; from < unused.length; from += BATCH) {
        const gone = await write(() => {
          const removed = removeUnchecked(unused.slice(from, from + BATCH), newestSeq);
          for (const hash of removed) getStoredDefinitions(raw).delete(hash);
          return removed;
        });
        deleted += gone.length;
        await new Promise((resolve) => setImmediate(resolve));
      }
      return deleted;
    },
  };
}
