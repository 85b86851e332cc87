import { expect, it } from "vitest";
import Sqlite from "../../../../scripts/sqlite.mjs";
import { MIGRATIONS } from "./migrate.test-support";
import { readMigrations } from "./migration-files";

const NAME = "20270108070000_evals";

it("AGT-12 an upgrade makes model checks runs of the built-in suite, with their attempts, ids and order", () => {
  const migrations = readMigrations(MIGRATIONS);
  const at = migrations.findIndex(({ name }) => name === NAME);
  const raw = new Sqlite(":memory:");
  for (const { sql } of migrations.slice(0, at)) raw.exec(sql);
  const add = raw.prepare(
    `INSERT INTO "ModelCheck" ("seq", "id", "provider", "model", "status", "rounds", "startedAt", "finishedAt", "passed", "done", "total", "attempts")
     VALUES (?, ?, 'openai', 'm', ?, 2, 5, 9, 1, 2, 14, ?)`,
  );
  const quoting = 'said {"scenario":"x"}';
  const attempts = [{ scenario: "chain", round: 1, passed: false, reason: quoting, runId: "run_1", durationMs: 7 }];
  add.run(3, "check_1", "finished", JSON.stringify(attempts));
  add.run(8, "check_2", "running", "{damaged");
  raw.exec(migrations[at]?.sql ?? "");

  const rows = raw.prepare(`SELECT * FROM "EvalRun" ORDER BY "seq"`).all() as Record<string, string>[];
  expect(rows).toMatchObject([
    { seq: 3, id: "check_1", suite: "tool-use", offering: "direct", status: "finished", passed: 1, done: 2, total: 14 },
    { seq: 8, id: "check_2", status: "running", attempts: "{damaged", items: null, owner: null },
  ]);
  const [{ scenario, ...rest }] = attempts as [(typeof attempts)[number]];
  expect(JSON.parse(rows[0]?.attempts ?? "")).toEqual([{ item: scenario, ...rest }]);
  expect(() => raw.prepare(`SELECT * FROM "ModelCheck"`)).toThrow("no such table");
  raw.close();
});
