import { readdirSync, rmSync, statfsSync, statSync } from "node:fs";
import path from "node:path";
import { copyDatabase, removeWithJournals } from "./copy-database";
import { DatabaseOpenError } from "./database-file";
import { isCopyOf } from "./private-files";
import { listTables } from "./sqlite/applied-migrations";
import type { RawDatabase } from "./sqlite/connection";

const MAX_COPIES = 2;
/** Filled by every start, or derived from other tables. */
const NOT_DATA = /^(?:_prisma_migrations|_toolroom_restored|Instance|Change|Command|Lease|Job|ExecutionText.*)$/;
/** Space for the upgrade's own writes. */
const SPARE_BYTES = 16 * 1024 * 1024;

/** Whether a database holds anything that a user would miss. */
export function hasData(raw: RawDatabase): boolean {
  const holdsRows = (table: string): boolean => raw.prepare(`SELECT 1 FROM "${table}" LIMIT 1`).get() !== undefined;
  return listTables(raw)
    .filter((table) => !NOT_DATA.test(table))
    .some(holdsRows);
}

/** Copies the database before `migration`, beside it, and removes all but the newest copies. Returns the path. */
export async function copyBeforeUpgrade(raw: RawDatabase, filePath: string, migration: string): Promise<string> {
  demandSpace(raw, filePath);
  const copy = `${filePath}.before-${migration}.bak`;
  await copyDatabase(raw, copy);
  removeOldCopies(filePath, copy);
  return copy;
}

/** The copies beside a database, newest first. */
export function listCopies(filePath: string): string[] {
  const folder = path.dirname(filePath);
  return readdirSync(folder)
    .filter((entry) => isCopyOf(path.basename(filePath), entry))
    .map((entry) => path.join(folder, entry))
    .sort((left, right) => statSync(right).mtimeMs - statSync(left).mtimeMs);
}

function demandSpace(raw: RawDatabase, filePath: string): void {
  const needed = readNumber(raw, "page_count") * readNumber(raw, "page_size") + SPARE_BYTES;
  const folder = path.dirname(filePath);
  const { bavail, bsize } = statfsSync(folder);
  const free = bavail * bsize;
  if (free >= needed) return;
  throw new DatabaseOpenError(
    `The database ${filePath} has to be upgraded, and the disk has no room for the copy that is made before: ` +
      `${megabytes(needed)} are needed in ${folder}, ${megabytes(free)} are free. Free some space and start again.`,
  );
}

function readNumber(raw: RawDatabase, pragma: string): number {
  return Number(raw.pragma(pragma, { simple: true }));
}

const megabytes = (bytes: number): string => `${Math.ceil(bytes / 1_048_576)} MiB`;

function removeOldCopies(filePath: string, newest: string): void {
  const others = listCopies(filePath).filter((copy) => copy !== newest);
  for (const copy of others.slice(MAX_COPIES - 1)) {
    removeWithJournals(copy);
    rmSync(`${copy}.audit-anchor`, { force: true });
  }
}
