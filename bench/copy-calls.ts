import Database from "../scripts/sqlite.mjs";

const CALLS_PER_STATEMENT = 20_000;

/** Copies of the newest call of the console, spread over 30 days before it; calls of tests are in no list. */
export function copyCalls(databaseFile: string, count: number): void {
  const db = new Database(databaseFile);
  const columns = db.pragma("table_info(Execution)") as { name: string }[];
  const copied = columns.map(({ name }) => name).filter((name) => name !== "seq");
  const values = copied.map((name) => {
    if (name === "id") return "'exec_copy' || n";
    return name.endsWith("At") ? `newest."${name}" - (${count} - n) * (30 * 86400000 / ${count})` : `newest."${name}"`;
  });
  const insert = db.prepare(`WITH RECURSIVE copy(n) AS (SELECT ? UNION ALL SELECT n + 1 FROM copy WHERE n + 1 < ?)
    INSERT INTO Execution (${copied.map((name) => `"${name}"`).join(", ")})
    SELECT ${values.join(", ")} FROM copy, (SELECT * FROM Execution WHERE source = 'console' ORDER BY seq DESC LIMIT 1) AS newest`);
  for (let first = 0; first < count; first += CALLS_PER_STATEMENT) {
    insert.run(first, Math.min(first + CALLS_PER_STATEMENT, count));
  }
  db.close();
}
