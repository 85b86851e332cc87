import { chmodSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";

/** Gives a test run, and every process it starts, one temporary folder. Returns what removes it when the run ends. */
export default function openTempFolder(): () => void {
  const before = process.env.TMPDIR;
  // The name is short: the path of a Unix socket has at most 104 characters on some systems.
  const folder = mkdtempSync(path.join(tmpdir(), "tr-"));
  // As the system's own: some tests start a server as another user.
  chmodSync(folder, 0o1777);
  process.env.TMPDIR = folder;
  return () => {
    if (before === undefined) delete process.env.TMPDIR;
    else process.env.TMPDIR = before;
    // A process that is still ending may write into it.
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  };
}
