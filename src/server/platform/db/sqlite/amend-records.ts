import type { Amendment, RenamedColumn } from "../landed-migrations";
import { MIGRATION_TABLE } from "./applied-migrations";
import type { RawDatabase } from "./connection";

/** Brings what earlier versions recorded and created under other names to the names of this version. Expects a transaction. */
export function amendRecords(raw: RawDatabase, amendments: readonly Amendment[]): void {
  for (const { recordedName, name, checksum, renamedColumns } of amendments) {
    for (const column of renamedColumns) renameColumn(raw, column);
    if (name !== recordedName && isRecorded(raw, name)) {
      raw.prepare(`DELETE FROM ${MIGRATION_TABLE} WHERE migration_name = ?`).run(recordedName);
      continue;
    }
    raw
      .prepare(`UPDATE ${MIGRATION_TABLE} SET migration_name = ?, checksum = ? WHERE migration_name = ?`)
      .run(name, checksum, recordedName);
  }
}

function isRecorded(raw: RawDatabase, name: string): boolean {
  const sql = `SELECT 1 FROM ${MIGRATION_TABLE} WHERE migration_name = ? AND rolled_back_at IS NULL`;
  return raw.prepare(sql).get(name) !== undefined;
}

/** The column may have been renamed by hand already. */
function renameColumn(raw: RawDatabase, { table, from, to }: RenamedColumn): void {
  const columns = raw.prepare<[string], string>("SELECT name FROM pragma_table_info(?)").pluck().all(table);
  if (columns.includes(to) || !columns.includes(from)) return;
  raw.exec(`ALTER TABLE "${table}" RENAME COLUMN "${from}" TO "${to}"`);
}
