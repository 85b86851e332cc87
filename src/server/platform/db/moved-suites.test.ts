import { expect, it } from "vitest";
import Sqlite from "../../../../scripts/sqlite.mjs";
import { MIGRATIONS } from "./migrate.test-support";
import { readMigrations } from "./migration-files";

const NAME = "20270125090000_suites";

it("an upgrade puts suites of tests and evals into one list of names, and their runs into one list by start", () => {
  const migrations = readMigrations(MIGRATIONS);
  const at = migrations.findIndex(({ name }) => name === NAME);
  const raw = new Sqlite(":memory:");
  for (const { sql } of migrations.slice(0, at)) raw.exec(sql);
  const addSuite = raw.prepare(
    `INSERT INTO "TestSuite" (id, name, settings, "createdAt", "updatedAt", revision, "nextRunAt") VALUES (?, ?, '{"tests":[]}', 1, 2, 3, 9)`,
  );
  addSuite.run("suite_smoke0", "smoke");
  addSuite.run("suite_taken0", "taken");
  addSuite.run("suite_taken1", "taken-evals");
  const addEval = raw.prepare(
    `INSERT INTO "Eval" (id, suite, question, settings, dismissed, "createdAt", "updatedAt") VALUES (?, ?, 'Q', '{}', ?, ?, ?)`,
  );
  addEval.run("eval_2", "orders", 0, 20, 21);
  addEval.run("eval_1", "orders", 0, 30, 31);
  addEval.run("eval_3", "smoke", 0, 40, 41);
  addEval.run("eval_4", "taken", 0, 50, 51);
  addEval.run("eval_5", "", 1, 60, 61);
  const addTestRun = raw.prepare(
    `INSERT INTO "TestRun" (id, kind, "suiteId", name, status, trigger, "actorId", "actorName", "startedAt", total, passed, owner)
     VALUES (?, ?, ?, ?, ?, 'api', 'ada', 'Ada', ?, 2, 1, 'here')`,
  );
  addTestRun.run("test_1", "suite", "suite_smoke0", "smoke", "running", 100);
  addTestRun.run("test_2", "replay", null, "2 calls", "passed", 300);
  raw.exec(
    `INSERT INTO "TestResult" ("runId", position, name, tool, status, problems) VALUES ('test_1', 0, 't', 'echo', 'passed', '[]')`,
  );
  const addEvalRun = raw.prepare(
    `INSERT INTO "EvalRun" (id, suite, provider, model, offering, status, rounds, "startedAt", passed, done, total, "inputTokens", cost, items, attempts)
     VALUES (?, ?, 'openai', 'm', 'direct', 'finished', 3, ?, 2, 3, 3, 7, 0.5, ?, '[]')`,
  );
  addEvalRun.run("evalrun_1", "orders", 200, "[]");
  addEvalRun.run("evalrun_2", "smoke", 50, "[]");
  addEvalRun.run("evalrun_3", "tool-use", 400, null);
  raw.exec(migrations[at]?.sql ?? "");

  expect(
    raw
      .prepare(`SELECT id, kind, name, revision, "nextRunAt", "createdAt", "updatedAt" FROM "Suite" ORDER BY name`)
      .all(),
  ).toEqual([
    { id: "eval_1", kind: "evals", name: "orders", revision: 1, nextRunAt: null, createdAt: 20, updatedAt: 31 },
    { id: "suite_smoke0", kind: "tests", name: "smoke", revision: 3, nextRunAt: 9, createdAt: 1, updatedAt: 2 },
    { id: "eval_3", kind: "evals", name: "smoke-evals", revision: 1, nextRunAt: null, createdAt: 40, updatedAt: 41 },
    { id: "suite_taken0", kind: "tests", name: "taken", revision: 3, nextRunAt: 9, createdAt: 1, updatedAt: 2 },
    { id: "suite_taken1", kind: "tests", name: "taken-evals", revision: 3, nextRunAt: 9, createdAt: 1, updatedAt: 2 },
    {
      id: "eval_4",
      kind: "evals",
      name: "taken-evals-suite_taken0",
      revision: 1,
      nextRunAt: null,
      createdAt: 50,
      updatedAt: 51,
    },
  ]);
  expect(raw.prepare(`SELECT suite FROM "Eval" ORDER BY id`).pluck().all()).toEqual([
    "orders",
    "orders",
    "smoke-evals",
    "taken-evals-suite_taken0",
    "",
  ]);
  const evals = {
    kind: "evals",
    trigger: "manual",
    actorId: null,
    status: "finished",
    passed: 2,
    failed: 1,
    inputTokens: 7,
    cost: 0.5,
  };
  expect(raw.prepare(`SELECT * FROM "SuiteRun" ORDER BY seq`).all()).toMatchObject([
    { ...evals, id: "evalrun_2", suiteId: "eval_3", name: "smoke-evals" },
    {
      id: "test_1",
      kind: "tests",
      suiteId: "suite_smoke0",
      status: "running",
      owner: "here",
      actorName: "Ada",
      passed: 1,
    },
    { ...evals, id: "evalrun_1", suiteId: "eval_1", name: "orders", provider: "openai", rounds: 3 },
    { id: "test_2", kind: "replay", suiteId: null, name: "2 calls", provider: null },
    { ...evals, id: "evalrun_3", suiteId: null, name: "tool-use", items: null },
  ]);
  expect(raw.prepare(`SELECT "runId", tool FROM "SuiteResult"`).all()).toEqual([{ runId: "test_1", tool: "echo" }]);
  for (const gone of ["TestSuite", "TestRun", "TestResult", "EvalRun", "EvalSuiteName"]) {
    expect(() => raw.prepare(`SELECT * FROM "${gone}"`)).toThrow("no such table");
  }
  raw.close();
});
