// Worker thread that copies a database, which others may write meanwhile, into a file without free pages.
import { parentPort, workerData } from "node:worker_threads";
import Database from "../../../../scripts/sqlite.mjs";

const { source, target, waitMs } = workerData;
const database = new Database(source, { fileMustExist: true, timeout: waitMs });
try {
  // Of the copy; the database itself keeps its mode.
  if (database.pragma("auto_vacuum", { simple: true }) === 0) database.pragma("auto_vacuum = INCREMENTAL");
  database.prepare("VACUUM INTO ?").run(target);
} finally {
  database.close();
}
parentPort?.postMessage("done");
