import { readdirSync, rmSync } from "node:fs";
import path from "node:path";
import { moveFile } from "../../../../scripts/move-file.mjs";
import { createPrivateFile } from "./private-files";
import type { RawDatabase } from "./sqlite/connection";

/**
 * Copies an open database into a file that appears whole or not at all, also when the database's own file no longer has
 * a name.
 */
export async function copyDatabase(raw: RawDatabase, copy: string): Promise<void> {
  const unfinished = `${copy}.${process.pid}.tmp`;
  try {
    createPrivateFile(unfinished);
    // Copies in one step: a copy in several starts again whenever another program writes.
    await raw.backup(unfinished, { progress: ({ totalPages }) => totalPages + 1 });
    await moveFile(unfinished, copy);
  } finally {
    removeWithJournals(unfinished);
  }
}

export function removeWithJournals(file: string): void {
  for (const suffix of ["", "-wal", "-shm", "-journal"]) rmSync(file + suffix, { force: true });
}

/** The draft of a restore, beside the database. */
export const RESTORE_SUFFIX = ".restore";

/** The suffix of the upgraded copy, beside an older database, that a move reads in its place. */
export const MOVE_SUFFIX = ".move";

/** Removes what upgrades, restores and moves left that ended while they copied. Expects the owner of the database. */
export function removeUnfinishedCopies(filePath: string): void {
  const folder = path.dirname(filePath);
  const name = path.basename(filePath);
  const unfinished = /^(?:\.before-.*\.bak\.\d+\.tmp|\.(?:restore|move)(?:\.\d+\.tmp)?)$/;
  for (const entry of readdirSync(folder)) {
    if (entry.startsWith(name) && unfinished.test(entry.slice(name.length)))
      removeWithJournals(path.join(folder, entry));
  }
}
