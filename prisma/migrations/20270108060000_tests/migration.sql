-- CreateTable
CREATE TABLE "TestSuite" (
    "id" TEXT NOT NULL PRIMARY KEY,
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
CREATE TABLE "TestRun" (
    "seq" INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    "id" TEXT NOT NULL,
    "kind" TEXT NOT NULL,
    "suiteId" TEXT,
    "name" TEXT NOT NULL,
    "status" TEXT NOT NULL,
    "trigger" TEXT NOT NULL,
    "actorId" TEXT NOT NULL,
    "actorName" TEXT NOT NULL,
    "startedAt" BIGINT NOT NULL,
    "finishedAt" BIGINT,
    "total" INTEGER NOT NULL,
    "passed" INTEGER NOT NULL DEFAULT 0,
    "failed" INTEGER NOT NULL DEFAULT 0,
    "errors" INTEGER NOT NULL DEFAULT 0,
    "skipped" INTEGER NOT NULL DEFAULT 0,
    "error" TEXT,
    "owner" TEXT
);

-- CreateTable
CREATE TABLE "TestResult" (
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

-- CreateIndex
CREATE UNIQUE INDEX "TestSuite_name_key" ON "TestSuite"("name");

-- CreateIndex
CREATE UNIQUE INDEX "TestRun_id_key" ON "TestRun"("id");

-- CreateIndex
CREATE INDEX "TestRun_suiteId_idx" ON "TestRun"("suiteId");

-- CreateIndex
CREATE INDEX "TestRun_running" ON "TestRun"("status") WHERE "status" = 'running';
