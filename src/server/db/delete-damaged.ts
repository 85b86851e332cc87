import type { DamagedKind } from "../../lib/contract";
import type { Database } from "./database";

/** A server's row stays, as when it is deleted in its list. */
const DELETIONS: Readonly<Record<DamagedKind, string>> = {
  "model provider": 'DELETE FROM "ModelProvider" WHERE name = ?',
  toolset: 'DELETE FROM "Toolset" WHERE name = ?',
  server: `UPDATE "McpServer" SET "deletedAt" = CAST(unixepoch('subsec') * 1000 AS INTEGER) WHERE name = ? AND "deletedAt" IS NULL`,
};

/** Deletes rows that were skipped at the start. @returns false where no row has the name any more */
export function createDamagedDeletion(db: Pick<Database, "raw" | "write" | "damaged">) {
  return async (kind: DamagedKind, name: string): Promise<boolean> => {
    const { changes } = await db.write(async () => db.raw.prepare(DELETIONS[kind]).run(name));
    db.damaged.forget(kind, name);
    return changes > 0;
  };
}
