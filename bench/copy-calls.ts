import { setTimeout } from "node:timers/promises";
import Database from "../scripts/sqlite.mjs";
import { UNCOUNTED_SOURCES } from "../src/lib/contract/call-class";

const CALLS_PER_STATEMENT = 20_000;
const POLL_MS = 500;

/** Copies of the newest call that lists show, spread over 30 days before it. */
export function copyCalls(databaseFile: string, count: number): void {
  const db = new Database(databaseFile);
  const columns = db.pragma("table_info(Execution)") as { name: string }[];
  const copied = columns.map(({ name }) => name).filter((name) => name !== "seq");
  const values = copied.map((name) => {
    if (name === "id") return "'exec_copy' || n";
    return name.endsWith("At") ? `newest."${name}" - (${count} - n) * (30 * 86400000 / ${count})` : `newest."${name}"`;
  });
  const uncounted = UNCOUNTED_SOURCES.map((source) => `'${source}'`).join(", ");
  const newest = db
    .prepare(`SELECT seq FROM Execution WHERE source NOT IN (${uncounted}) ORDER BY seq DESC LIMIT 1`)
    .get() as { seq: number } | undefined;
  if (newest === undefined) throw new Error("There is no call to copy.");
  const insert = db.prepare(`WITH RECURSIVE copy(n) AS (SELECT ? UNION ALL SELECT n + 1 FROM copy WHERE n + 1 < ?)
    INSERT INTO Execution (${copied.map((name) => `"${name}"`).join(", ")})
    SELECT ${values.join(", ")} FROM copy, (SELECT * FROM Execution WHERE seq = ${newest.seq}) AS newest`);
  for (let first = 0; first < count; first += CALLS_PER_STATEMENT) {
    insert.run(first, Math.min(first + CALLS_PER_STATEMENT, count));
  }
  db.close();
}

/** Makes the next start count all calls for the statistics, which know nothing of copies. */
export function requestRebuild(databaseFile: string): void {
  const db = new Database(databaseFile);
  db.prepare('INSERT OR REPLACE INTO "StatisticRebuild" ("id", "below") VALUES (1, ?)').run(Number.MAX_SAFE_INTEGER);
  db.close();
}

/** Resolves when the server has counted all calls. */
export async function whenRebuilt(databaseFile: string): Promise<void> {
  const db = new Database(databaseFile);
  const readRebuild = db.prepare('SELECT "id" FROM "StatisticRebuild"');
  while (readRebuild.get() !== undefined) await setTimeout(POLL_MS);
  db.close();
}
