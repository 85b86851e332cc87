import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { stopCluster } from "./postgres-cluster.mjs";

/** Gives a test run a folder in which the first test that needs PostgreSQL notes the server that it starts. */
export default function openPostgresFolder(): () => void {
  const folder = mkdtempSync(path.join(tmpdir(), "tr-pg-"));
  process.env.TOOLROOM_TEST_POSTGRES_FOLDER = folder;
  // A worker may end before the run does.
  process.env.TOOLROOM_TEST_RUN = String(process.pid);
  return () => {
    delete process.env.TOOLROOM_TEST_POSTGRES_FOLDER;
    delete process.env.TOOLROOM_TEST_RUN;
    try {
      stopCluster(JSON.parse(readFileSync(path.join(folder, "ready.json"), "utf8")).folder);
    } catch {
      // No test needed one.
    }
    rmSync(folder, { recursive: true, force: true });
  };
}
