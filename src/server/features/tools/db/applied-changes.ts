import { parseWithDigits, stringifyWithDigits } from "../../../../lib/json/number-digits";
import type { Database } from "../../../platform/db/database";
import { change } from "../../../platform/db/sql";
import type { AppliedStore, StoredAppliedChange } from "../../servers/server-store";

interface AppliedRow {
  toolName: string;
  hash: string;
  before: string;
  at: number;
}

const SELECT = `SELECT "toolName", hash, before, "at" FROM "AppliedChange" WHERE "serverName" = ? ORDER BY "toolName"`;
/** A change that another process has already stored keeps its time. */
const PUT = `INSERT INTO "AppliedChange" ("serverName", "toolName", hash, before, "at") VALUES (?, ?, ?, ?, ?)
  ON CONFLICT ("serverName", "toolName") DO UPDATE SET hash = excluded.hash, "at" = excluded."at"
  WHERE "AppliedChange".hash <> excluded.hash`;
const DELETE = `DELETE FROM "AppliedChange" WHERE "serverName" = ? AND "toolName" = ?`;

/** Breaking changes of tools that are in use without a review. */
export function createAppliedStore(db: Database): AppliedStore {
  return {
    async list(server) {
      const rows = await db.rows<AppliedRow>(SELECT, server);
      return rows.flatMap(
        (row) => db.damaged.read("tool change", `${server} ${row.toolName}`, () => toChange(row)) ?? [],
      );
    },
    change: (server, update) =>
      db.transaction(function* () {
        for (const { tool, hash, before, at } of update.put) {
          yield* change(PUT, server, tool, hash, stringifyWithDigits(before.entry) ?? "null", at);
        }
        for (const tool of update.delete) yield* change(DELETE, server, tool);
      }),
    accept: async (server, tool, hash) => (await db.change(`${DELETE} AND hash = ?`, server, tool, hash)) === 1,
  };
}

function toChange({ toolName, hash, before, at }: AppliedRow): StoredAppliedChange {
  return { tool: toolName, hash, before: parseWithDigits(before) as StoredAppliedChange["before"], at };
}

export async function forgetAppliedChanges(db: Database, server: string): Promise<void> {
  await db.change('DELETE FROM "AppliedChange" WHERE "serverName" = ?', server);
}

export async function renameAppliedChanges(db: Database, from: string, to: string): Promise<void> {
  await forgetAppliedChanges(db, to);
  await db.change('UPDATE "AppliedChange" SET "serverName" = ? WHERE "serverName" = ?', to, from);
}
