// The thread of the search index, which ends after so many writes as the file beside the index says, once.
import { existsSync, readFileSync, rmSync } from "node:fs";
import { workerData } from "node:worker_threads";
import Database from "../../../../../scripts/sqlite.mjs";

const killFile = `${workerData.file}.kill`;
let left = Number.POSITIVE_INFINITY;
const { prepare } = Database.prototype;
Database.prototype.prepare = function prepareCounted(sql) {
  const statement = prepare.call(this, sql);
  if (!/^(?:INSERT|UPDATE|DELETE)/.test(sql)) return statement;
  const { run } = statement;
  statement.run = (...values) => {
    if (existsSync(killFile)) {
      left = Number(readFileSync(killFile, "utf8"));
      rmSync(killFile);
    }
    left -= 1;
    if (left < 0) process.exit(1);
    return run.apply(statement, values);
  };
  return statement;
};
await import("./text-index-worker.mjs");
