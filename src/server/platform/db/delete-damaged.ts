import type { DamagedKind } from "../../../lib/contract/catalog-tool";
import type { SqliteDatabase } from "./database";

const MARK_DELETED = `SET "deletedAt" = CAST(unixepoch('subsec') * 1000 AS INTEGER) WHERE name = ? AND "deletedAt" IS NULL`;
/** The rows of servers and tools stay, as when they are deleted in their lists. */
const DELETIONS: Readonly<Record<DamagedKind, string>> = {
  "model provider": 'DELETE FROM "ModelProvider" WHERE name = ?',
  toolset: 'DELETE FROM "Toolset" WHERE name = ?',
  server: `UPDATE "McpServer" ${MARK_DELETED}`,
  tool: `UPDATE "Tool" ${MARK_DELETED}`,
};

/** Deletes rows that were skipped at the start. @returns false where no row has the name any more */
export function createDamagedDeletion(db: Pick<SqliteDatabase, "raw" | "write" | "damaged">) {
  return async (kind: DamagedKind, name: string): Promise<boolean> => {
    const { changes } = await db.write(async () => db.raw.prepare(DELETIONS[kind]).run(name));
    db.damaged.forget(kind, name);
    return changes > 0;
  };
}
