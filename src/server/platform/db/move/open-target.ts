import path from "node:path";
import type { DatabaseDescription } from "../describe-database";
import { migrateSqlite } from "../migrate";
import { migratePostgres } from "../postgres/migrate-postgres";
import type { MoveTarget } from "./move-side";
import { QUIET } from "./open-source";
import { listMovedTables, openPostgresTarget } from "./postgres-side";
import type { MovedTable } from "./row-lines";
import { openSqliteTarget } from "./sqlite-side";

/** Opens a database that this process owns, with this version's schema, and lists the tables that both have. */
export async function openMoveTarget(
  source: DatabaseDescription,
  { kind, url }: DatabaseDescription,
  home: string,
): Promise<{ target: MoveTarget; tables: MovedTable[] }> {
  const options = { url, logger: QUIET, isMoving: true };
  const folder = (name: string): string => path.join(home, "prisma", name);
  if (kind === "postgres") {
    await migratePostgres({ ...options, folder: folder("migrations-postgres") });
    return { tables: await listMovedTables(url), target: await openPostgresTarget(url) };
  }
  await migrateSqlite({ ...options, folder: folder("migrations") });
  return { tables: await listMovedTables(source.url), target: openSqliteTarget(url) };
}
