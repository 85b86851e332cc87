-- CreateTable
CREATE TABLE "Suite" (
    "id" TEXT COLLATE "C" NOT NULL,
    "kind" TEXT COLLATE "C" NOT NULL,
    "name" TEXT COLLATE "C" NOT NULL,
    "settings" TEXT COLLATE "C" NOT NULL,
    "createdAt" BIGINT NOT NULL,
    "updatedAt" BIGINT NOT NULL,
    "revision" INTEGER NOT NULL DEFAULT 1,
    "changedBy" TEXT COLLATE "C",
    "nextRunAt" BIGINT,
    "actorId" TEXT COLLATE "C",
    "actorName" TEXT COLLATE "C",

    CONSTRAINT "Suite_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "SuiteRun" (
    "seq" SERIAL NOT NULL,
    "id" TEXT COLLATE "C" NOT NULL,
    "kind" TEXT COLLATE "C" NOT NULL,
    "suiteId" TEXT COLLATE "C",
    "name" TEXT COLLATE "C" NOT NULL,
    "status" TEXT COLLATE "C" NOT NULL,
    "trigger" TEXT COLLATE "C" NOT NULL,
    "actorId" TEXT COLLATE "C",
    "actorName" TEXT COLLATE "C",
    "startedAt" BIGINT NOT NULL,
    "finishedAt" BIGINT,
    "total" INTEGER NOT NULL,
    "passed" INTEGER NOT NULL DEFAULT 0,
    "failed" INTEGER NOT NULL DEFAULT 0,
    "errors" INTEGER NOT NULL DEFAULT 0,
    "skipped" INTEGER NOT NULL DEFAULT 0,
    "error" TEXT COLLATE "C",
    "owner" TEXT COLLATE "C",
    "provider" TEXT COLLATE "C",
    "model" TEXT COLLATE "C",
    "offering" TEXT COLLATE "C",
    "edited" TEXT COLLATE "C",
    "rounds" INTEGER,
    "inputTokens" INTEGER NOT NULL DEFAULT 0,
    "outputTokens" INTEGER NOT NULL DEFAULT 0,
    "cost" DOUBLE PRECISION,
    "items" TEXT COLLATE "C",
    "attempts" TEXT COLLATE "C",

    CONSTRAINT "SuiteRun_pkey" PRIMARY KEY ("seq")
);

-- CreateTable
CREATE TABLE "SuiteResult" (
    "runId" TEXT COLLATE "C" NOT NULL,
    "position" INTEGER NOT NULL,
    "name" TEXT COLLATE "C" NOT NULL,
    "tool" TEXT COLLATE "C" NOT NULL,
    "status" TEXT COLLATE "C" NOT NULL,
    "reason" TEXT COLLATE "C",
    "executionId" TEXT COLLATE "C",
    "originalId" TEXT COLLATE "C",
    "durationMs" DOUBLE PRECISION,
    "problems" TEXT COLLATE "C" NOT NULL,

    CONSTRAINT "SuiteResult_pkey" PRIMARY KEY ("runId", "position")
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
    "startedAt", "finishedAt", total, passed, failed, errors, skipped, error, owner, NULL::text AS provider, NULL::text AS model, NULL::text AS offering,
    NULL::text AS edited, NULL::integer AS rounds, 0 AS "inputTokens", 0 AS "outputTokens", NULL::double precision AS cost, NULL::text AS items, NULL::text AS attempts
  FROM "TestRun"
  UNION ALL
  SELECT seq, id, 'evals', (SELECT "Suite".id FROM "Suite" WHERE "Suite".name = "EvalRun".suite AND "Suite".kind = 'evals'), suite, status,
    'manual', NULL::text, NULL::text, "startedAt", "finishedAt", total, passed, done - passed, 0, 0, error, owner, provider, model, offering, edited,
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
