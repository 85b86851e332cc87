import { renameSync, rmSync } from "node:fs";
import { createPrivateFile } from "./private-files";
import type { RawDatabase } from "./sqlite/connection";

/**
 * Copies an open database into a file that appears whole or not at all, also when the database's own file has no name
 * any more.
 * @param isWanted judges the finished copy; where it gives false there is no file afterwards
 */
export async function copyDatabase(
  raw: RawDatabase,
  copy: string,
  isWanted: (file: string) => boolean = () => true,
): Promise<boolean> {
  const unfinished = `${copy}.${process.pid}.tmp`;
  try {
    createPrivateFile(unfinished);
    // All in one step: a copy in several starts again whenever another program writes.
    await raw.backup(unfinished, { progress: ({ totalPages }) => totalPages + 1 });
    if (!isWanted(unfinished)) return false;
    renameSync(unfinished, copy);
    return true;
  } finally {
    removeWithJournals(unfinished);
  }
}

export function removeWithJournals(file: string): void {
  for (const suffix of ["", "-wal", "-shm", "-journal"]) rmSync(file + suffix, { force: true });
}
