import Database from "../../../../../scripts/sqlite.mjs";
import type { Migration } from "../migration-files";
import { MIGRATION_TABLE } from "./applied-migrations";
import type { RawDatabase } from "./connection";

/** An empty database with the schema that these migrations give, in memory; the caller closes it. */
export function buildSchema(migrations: readonly Migration[]): RawDatabase {
  const raw = new Database(":memory:");
  for (const { sql } of migrations) raw.exec(sql);
  return raw;
}

let known: { sql: string; objects: string[] } | undefined;

/** Tables, columns, indexes and triggers that this database lacks. What the last migrations create is kept: a move asks often. */
export function findMissingObjects(raw: RawDatabase, migrations: readonly Migration[]): string[] {
  const sql = migrations.map((migration) => migration.sql).join("\n");
  if (known?.sql !== sql) {
    const expected = buildSchema(migrations);
    known = { sql, objects: listObjects(expected) };
    expected.close();
  }
  const present = new Set(listObjects(raw));
  const missing = known.objects.filter((object) => !present.has(object));
  // A missing table says enough; its columns, indexes and triggers are missing with it.
  const tables = missing.filter((object) => object.startsWith("table "));
  return tables.length > 0 ? tables : missing;
}

function listObjects(raw: RawDatabase): string[] {
  return raw
    .prepare<[{ own: string }], string>(
      `SELECT type || ' ' || name FROM sqlite_master
         WHERE type <> 'view' AND name <> @own AND name NOT LIKE 'sqlite!_%' ESCAPE '!'
       UNION ALL
       SELECT 'column ' || m.name || '.' || c.name FROM sqlite_master m, pragma_table_info(m.name) c
         WHERE m.type = 'table' AND m.name <> @own AND m.name NOT LIKE 'sqlite!_%' ESCAPE '!'`,
    )
    .pluck()
    .all({ own: MIGRATION_TABLE });
}
