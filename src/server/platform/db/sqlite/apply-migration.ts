import type { Amendment } from "../landed-migrations";
import type { Migration } from "../migration-files";
import { amendRecords } from "./amend-records";
import { recordMigration } from "./applied-migrations";
import type { RawDatabase } from "./connection";

/** A migration that rebuilds a table turns the checks of foreign keys off for the time. */
const REBUILDS_TABLES = /\bPRAGMA\s+foreign_keys\s*=\s*(?:OFF|0|false)\b/i;

export interface PendingWork {
  /** Applied before the migrations, which may use the new names. */
  amendments: readonly Amendment[];
  pending: readonly Migration[];
  /** Creates the error for a migration that fails. */
  toFailure(migration: string, cause: unknown): unknown;
}

/**
 * Amends the records of earlier versions, then applies and records migrations, all in one transaction: a process that ends in
 * between leaves the database as it was, which the older program still opens.
 */
export function applyMigrations(raw: RawDatabase, { amendments, pending, toFailure }: PendingWork): void {
  const rebuilds = pending.some(({ sql }) => REBUILDS_TABLES.test(sql));
  // SQLite ignores this inside a transaction, so it is set here, and the rows are checked after each migration instead.
  raw.pragma(`foreign_keys = ${rebuilds ? "OFF" : "ON"}`);
  inImmediateTransaction(raw, () => {
    const violationsBefore = rebuilds ? countViolations(raw) : 0;
    amendRecords(raw, amendments);
    for (const migration of pending) {
      const startedAt = new Date();
      try {
        raw.exec(migration.sql);
        if (!raw.inTransaction) throw new Error("the migration ends the transaction that it runs in");
        if (rebuilds && countViolations(raw) > violationsBefore) {
          throw new Error("the migration leaves rows that refer to rows that do not exist");
        }
      } catch (cause) {
        throw toFailure(migration.name, cause);
      }
      recordMigration(raw, migration, startedAt);
    }
  });
}

export function inImmediateTransaction<T>(raw: RawDatabase, work: () => T): T {
  raw.exec("BEGIN IMMEDIATE");
  try {
    const result = work();
    raw.exec("COMMIT");
    return result;
  } catch (error) {
    if (raw.inTransaction) raw.exec("ROLLBACK");
    throw error;
  }
}

function countViolations(raw: RawDatabase): number {
  return raw.prepare("PRAGMA foreign_key_check").all().length;
}
