import type { Database } from "../../../platform/db/database";
import { RESTORE_TABLE } from "../../../platform/db/restore-mark";
import type { DatabaseOrigin, RestoreMark } from "../database-origin";

const FIND_TABLE = "SELECT 1 FROM sqlite_master WHERE name = ?";
/** Of the cluster, which initdb makes, and of the database in it. A base backup and a standby keep both. */
const IDENTITY = `SELECT (SELECT system_identifier FROM pg_control_system())::text AS "system",
  (SELECT oid FROM pg_database WHERE datname = current_database())::text AS "database"`;

export function createDatabaseOrigin(db: Database): DatabaseOrigin {
  if (db.kind === "postgres") {
    return {
      readRestoreMark: async () => null,
      removeRestoreMark: async () => undefined,
      async readIdentity() {
        const found = await db.row<{ system: string; database: string }>(IDENTITY);
        return found === undefined ? null : `${found.system}/${found.database}`;
      },
    };
  }
  return {
    async readRestoreMark() {
      if ((await db.row(FIND_TABLE, RESTORE_TABLE)) === undefined) return null;
      return (await db.row<RestoreMark>(`SELECT at, source FROM "${RESTORE_TABLE}" ORDER BY at DESC LIMIT 1`)) ?? null;
    },
    async removeRestoreMark() {
      await db.write(() => db.raw.exec(`DROP TABLE IF EXISTS "${RESTORE_TABLE}"`));
    },
    readIdentity: async () => null,
  };
}
