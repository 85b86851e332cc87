import type { RawDatabase } from "./connection";

/**
 * WAL: readers and the writer do not stop each other. `NORMAL`: a commit survives the end of the process, however it
 * comes; a power cut may take the last commits, never the file.
 */
export function prepareConnection(raw: RawDatabase): void {
  raw.pragma("journal_mode = WAL");
  raw.pragma("synchronous = NORMAL");
  raw.pragma("foreign_keys = ON");
  // The pages that `checkpoints.ts` has not moved by then. With the usual 1,000 pages every tenth call that carries 100 kB would wait for the disk.
  raw.pragma("wal_autocheckpoint = 8000");
  // A page cache for lists over large files; the default of 2 MB is re-read at every page.
  raw.pragma("cache_size = -32000");
  // The files of the write-ahead log are opened with the first read.
  raw.prepare("SELECT 1 FROM sqlite_master").get();
}
