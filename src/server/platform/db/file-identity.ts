import { statSync } from "node:fs";

export const MISSING = "missing";
/** The file system does not respond; the file may still exist. */
export const UNKNOWN = "unknown";

/** Device and inode: they change when a file is replaced, and stay when it is written. */
export function identifyFile(file: string): string {
  try {
    const found = statSync(file, { throwIfNoEntry: false, bigint: true });
    return found === undefined ? MISSING : `${found.dev}:${found.ino}`;
  } catch {
    return UNKNOWN;
  }
}
