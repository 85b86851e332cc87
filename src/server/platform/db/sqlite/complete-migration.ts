import type { Migration } from "../migration-files";
import { finishMigration, MIGRATION_TABLE, readAppliedMigrations } from "./applied-migrations";
import { inImmediateTransaction } from "./apply-migration";
import type { RawDatabase } from "./connection";
import { buildSchema } from "./schema-objects";

/** Each of these statements changes the schema, which therefore shows whether it was executed. */
const CHANGES_SCHEMA_ONLY = /^(?:\s|--[^\n]*\n|\/\*[\s\S]*?\*\/)*(?:CREATE|ALTER|DROP)\b/i;

/**
 * Completes a migration that an earlier version of Toolroom began and did not finish: that version executed it statement
 * by statement, outside a transaction. Gives false, and changes nothing, unless it is certain which statements were
 * executed: each has to change the schema and nothing else, and the schema has to be the one after exactly so many.
 */
export function completeMigration(raw: RawDatabase, earlier: readonly Migration[], migration: Migration): boolean {
  return inImmediateTransaction(raw, () => {
    const recorded = readAppliedMigrations(raw)?.find(({ name }) => name === migration.name);
    if (recorded?.finished === true) return true;
    if (recorded?.checksum !== migration.checksum) return false;
    const rest = findRemainingStatements(raw, earlier, migration.sql);
    if (rest === null) return false;
    for (const statement of rest) raw.exec(statement);
    finishMigration(raw, migration.name);
    return true;
  });
}

function findRemainingStatements(raw: RawDatabase, earlier: readonly Migration[], sql: string): string[] | null {
  const present = describeSchema(raw);
  const model = buildSchema(earlier);
  try {
    let rest: string[] | null = describeSchema(model) === present ? [] : null;
    for (const statement of executeByStatement(model, sql)) {
      if (!CHANGES_SCHEMA_ONLY.test(statement)) return null;
      rest?.push(statement);
      if (rest === null && describeSchema(model) === present) rest = [];
    }
    return rest;
  } finally {
    model.close();
  }
}

function describeSchema(raw: RawDatabase): string {
  const rows = raw
    .prepare("SELECT type, name, tbl_name, sql FROM sqlite_master WHERE tbl_name <> ? ORDER BY type, name")
    .all(MIGRATION_TABLE);
  return JSON.stringify(rows);
}

/** Executes a script and gives each statement after it was executed. SQLite itself says where a statement ends. */
export function* executeByStatement(raw: RawDatabase, sql: string): Generator<string> {
  let from = 0;
  for (let end = sql.indexOf(";"); end !== -1; end = sql.indexOf(";", end + 1)) {
    const candidate = sql.slice(from, end + 1);
    if (!isStatement(raw, candidate)) continue;
    raw.exec(candidate);
    yield candidate;
    from = end + 1;
  }
  const last = sql.slice(from);
  if (!isStatement(raw, last)) return;
  raw.exec(last);
  yield last;
}

/** False also for text that ends inside a string, a comment or the body of a trigger. */
function isStatement(raw: RawDatabase, text: string): boolean {
  try {
    raw.prepare(text);
    return true;
  } catch {
    return false;
  }
}
