// A worker thread that copies a database into a file without free pages. Others may write to the database at the same
// time.
import { parentPort, workerData } from "node:worker_threads";
import Database from "../../../../scripts/sqlite.mjs";

const { source, target, waitMs } = workerData;
const database = new Database(source, { fileMustExist: true, timeout: waitMs });
try {
  // Sets the mode of the copy; the database itself keeps its mode.
  if (database.pragma("auto_vacuum", { simple: true }) === 0) database.pragma("auto_vacuum = INCREMENTAL");
  database.prepare("VACUUM INTO ?").run(target);
} finally {
  database.close();
}
parentPort?.postMessage("done");
