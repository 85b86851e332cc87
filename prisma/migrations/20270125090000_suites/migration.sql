-- CreateTable
CREATE TABLE "Suite" (
    "id" TEXT NOT NULL PRIMARY KEY,
    "kind" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "settings" TEXT NOT NULL,
    "createdAt" BIGINT NOT NULL,
    "updatedAt" BIGINT NOT NULL,
    "revision" INTEGER NOT NULL DEFAULT 1,
    "changedBy" TEXT,
    "nextRunAt" BIGINT,
    "actorId" TEXT,
    "actorName" TEXT
);

-- CreateTable
CREATE TABLE "SuiteRun" (
    "seq" INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    "id" TEXT NOT NULL,
    "kind" TEXT NOT NULL,
    "suiteId" TEXT,
    "name" TEXT NOT NULL,
    "status" TEXT NOT NULL,
    "trigger" TEXT NOT NULL,
    "actorId" TEXT,
    "actorName" TEXT,
    "startedAt" BIGINT NOT NULL,
    "finishedAt" BIGINT,
    "total" INTEGER NOT NULL,
    "passed" INTEGER NOT NULL DEFAULT 0,
    "failed" INTEGER NOT NULL DEFAULT 0,
    "errors" INTEGER NOT NULL DEFAULT 0,
    "skipped" INTEGER NOT NULL DEFAULT 0,
    "error" TEXT,
    "owner" TEXT,
    "provider" TEXT,
    "model" TEXT,
    "offering" TEXT,
    "edited" TEXT,
    "rounds" INTEGER,
    "inputTokens" INTEGER NOT NULL DEFAULT 0,
    "outputTokens" INTEGER NOT NULL DEFAULT 0,
    "cost" REAL,
    "items" TEXT,
    "attempts" TEXT
);

-- CreateTable
CREATE TABLE "SuiteResult" (
    "runId" TEXT NOT NULL,
    "position" INTEGER NOT NULL,
    "name" TEXT NOT NULL,
    "tool" TEXT NOT NULL,
    "status" TEXT NOT NULL,
    "reason" TEXT,
    "executionId" TEXT,
    "originalId" TEXT,
    "durationMs" REAL,
    "problems" TEXT NOT NULL,

    PRIMARY KEY ("runId", "position")
);

-- Names are of one list: evals that have the name of a suite of tests get another one.
CREATE TABLE "EvalSuiteName" AS
SELECT taken.name AS "before",
  CASE WHEN length(taken.name) <= 58
      AND taken.name || '-evals' NOT IN (SELECT name FROM "TestSuite")
      AND taken.name || '-evals' NOT IN (SELECT suite FROM "Eval")
    THEN taken.name || '-evals'
    ELSE substr(taken.name, 1, 44) || '-evals-' || substr(taken.id, 1, 12) END AS "after"
FROM "TestSuite" AS taken
WHERE taken.name IN (SELECT suite FROM "Eval" WHERE NOT dismissed UNION SELECT suite FROM "EvalRun");

UPDATE "Eval" SET suite = (SELECT "after" FROM "EvalSuiteName" WHERE "before" = suite)
WHERE NOT dismissed AND suite IN (SELECT "before" FROM "EvalSuiteName");

UPDATE "EvalRun" SET suite = (SELECT "after" FROM "EvalSuiteName" WHERE "before" = suite)
WHERE suite IN (SELECT "before" FROM "EvalSuiteName");

DROP TABLE "EvalSuiteName";

INSERT INTO "Suite" (id, kind, name, settings, "createdAt", "updatedAt", revision, "changedBy", "nextRunAt", "actorId", "actorName")
SELECT id, 'tests', name, settings, "createdAt", "updatedAt", revision, "changedBy", "nextRunAt", "actorId", "actorName"
FROM "TestSuite";

INSERT INTO "Suite" (id, kind, name, settings, "createdAt", "updatedAt")
SELECT min(id), 'evals', suite, '{}', min("createdAt"), max("updatedAt") FROM "Eval" WHERE NOT dismissed GROUP BY suite;

-- In the order of their starts, since a list shows both.
INSERT INTO "SuiteRun" (id, kind, "suiteId", name, status, trigger, "actorId", "actorName", "startedAt", "finishedAt", total, passed, failed,
  errors, skipped, error, owner, provider, model, offering, edited, rounds, "inputTokens", "outputTokens", cost, items, attempts)
SELECT id, kind, "suiteId", name, status, trigger, "actorId", "actorName", "startedAt", "finishedAt", total, passed, failed,
  errors, skipped, error, owner, provider, model, offering, edited, rounds, "inputTokens", "outputTokens", cost, items, attempts
FROM (
  SELECT seq, id, CASE kind WHEN 'suite' THEN 'tests' ELSE kind END AS kind, "suiteId", name, status, trigger, "actorId", "actorName",
    "startedAt", "finishedAt", total, passed, failed, errors, skipped, error, owner, NULL AS provider, NULL AS model, NULL AS offering,
    NULL AS edited, NULL AS rounds, 0 AS "inputTokens", 0 AS "outputTokens", NULL AS cost, NULL AS items, NULL AS attempts
  FROM "TestRun"
  UNION ALL
  SELECT seq, id, 'evals', (SELECT "Suite".id FROM "Suite" WHERE "Suite".name = "EvalRun".suite AND "Suite".kind = 'evals'), suite, status,
    'manual', NULL, NULL, "startedAt", "finishedAt", total, passed, done - passed, 0, 0, error, owner, provider, model, offering, edited,
    rounds, "inputTokens", "outputTokens", cost, items, attempts
  FROM "EvalRun"
) AS runs ORDER BY "startedAt", seq;

INSERT INTO "SuiteResult" ("runId", position, name, tool, status, reason, "executionId", "originalId", "durationMs", problems)
SELECT "runId", position, name, tool, status, reason, "executionId", "originalId", "durationMs", problems FROM "TestResult";

-- DropTable
DROP TABLE "TestResult";
DROP TABLE "TestRun";
DROP TABLE "TestSuite";
DROP TABLE "EvalRun";

-- CreateIndex
CREATE UNIQUE INDEX "Suite_name_key" ON "Suite"("name");

-- CreateIndex
CREATE UNIQUE INDEX "SuiteRun_id_key" ON "SuiteRun"("id");

-- CreateIndex
CREATE INDEX "SuiteRun_suiteId_idx" ON "SuiteRun"("suiteId");

-- CreateIndex
CREATE INDEX "SuiteRun_running" ON "SuiteRun"("status") WHERE "status" = 'running';
