import type { Database } from "../../../platform/db/database";
import { RESTORE_TABLE } from "../../../platform/db/restore-mark";
import type { DatabaseOrigin, RestoreMark } from "../database-origin";

const FIND_TABLE = "SELECT 1 FROM sqlite_master WHERE name = ?";
/**
 * The identity of the cluster, which initdb makes, and of the database in it. A base backup and a standby keep both.
 */
const SYSTEM = "SELECT system_identifier::text AS part FROM pg_control_system()";
const DATABASE = "SELECT oid::text AS part FROM pg_database WHERE datname = current_database()";
/** The error code of providers where no customer role may read the control file. */
const NOT_ALLOWED = "42501";

export function createDatabaseOrigin(db: Database): DatabaseOrigin {
  if (db.kind === "postgres") {
    return {
      readRestoreMark: async () => null,
      removeRestoreMark: async () => undefined,
      async readIdentity() {
        const read = async (sql: string): Promise<string> => (await db.row<{ part: string }>(sql))?.part ?? "";
        const system = await read(SYSTEM).catch((error: unknown) => {
          if ((error as { code?: unknown }).code === NOT_ALLOWED) return "";
          throw error;
        });
        return `${system}/${await read(DATABASE)}`;
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
