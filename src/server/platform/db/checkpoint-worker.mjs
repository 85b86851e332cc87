// Worker thread that checkpoints the write-ahead log over its own connection, once for each message.
import { parentPort, workerData } from "node:worker_threads";
import Database from "../../../../scripts/sqlite.mjs";

const database = new Database(workerData, { fileMustExist: true, timeout: 0 });

parentPort?.on("message", (message) => {
  if (message === "close") {
    database.close();
    parentPort?.close();
    return;
  }
  try {
    // A passive checkpoint neither waits for readers and writers nor stops them.
    database.pragma("wal_checkpoint(PASSIVE)");
  } catch (error) {
    // Another process is doing it.
    if (error?.code !== "SQLITE_BUSY" && error?.code !== "SQLITE_LOCKED") throw error;
  }
  parentPort?.postMessage("done");
});
