import { renameSync, rmSync } from "node:fs";
import { createPrivateFile } from "./private-files";
import type { RawDatabase } from "./sqlite/connection";

/**
 * Copies an open database into a file that appears whole or not at all, also when the database's own file has no name
 * any more.
 */
export async function copyDatabase(raw: RawDatabase, copy: string): Promise<void> {
  const unfinished = `${copy}.${process.pid}.tmp`;
  try {
    createPrivateFile(unfinished);
    // All in one step: a copy in several starts again whenever another program writes.
    await raw.backup(unfinished, { progress: ({ totalPages }) => totalPages + 1 });
    renameSync(unfinished, copy);
  } finally {
    removeWithJournals(unfinished);
  }
}

export function removeWithJournals(file: string): void {
  for (const suffix of ["", "-wal", "-shm", "-journal"]) rmSync(file + suffix, { force: true });
}
