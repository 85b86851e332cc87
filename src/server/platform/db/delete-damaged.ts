import type { DamagedKind } from "../../../lib/contract/catalog-tool";
import type { Database } from "./database";

/** The rows of servers and tools stay, as when they are deleted in their lists. */
const DELETIONS: Readonly<Record<DamagedKind, (db: Database, name: string) => Promise<number>>> = {
  "model provider": ({ change }, name) => change('DELETE FROM "ModelProvider" WHERE name = ?', name),
  rule: ({ change }, name) => change('DELETE FROM "CallRule" WHERE name = ?', name),
  "rule case": ({ change }, name) => change('DELETE FROM "RuleCase" WHERE name = ?', name),
  toolset: ({ change }, name) => change('DELETE FROM "Toolset" WHERE name = ?', name),
  server: ({ change }, name) =>
    change('UPDATE "McpServer" SET "deletedAt" = ? WHERE name = ? AND "deletedAt" IS NULL', Date.now(), name),
  tool: ({ change }, name) =>
    change('UPDATE "Tool" SET "deletedAt" = ? WHERE name = ? AND "deletedAt" IS NULL', Date.now(), name),
};

/** Deletes rows that were skipped at the start. @returns false where no row has the name */
export function createDamagedDeletion(db: Database) {
  return async (kind: DamagedKind, name: string): Promise<boolean> => {
    const changes = await DELETIONS[kind](db, name);
    db.damaged.forget(kind, name);
    return changes > 0;
  };
}
