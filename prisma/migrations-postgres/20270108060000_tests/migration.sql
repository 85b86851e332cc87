-- CreateTable
CREATE TABLE "TestSuite" (
    "id" TEXT COLLATE "C" NOT NULL,
    "name" TEXT COLLATE "C" NOT NULL,
    "settings" TEXT COLLATE "C" NOT NULL,
    "createdAt" BIGINT NOT NULL,
    "updatedAt" BIGINT NOT NULL,
    "revision" INTEGER NOT NULL DEFAULT 1,
    "changedBy" TEXT COLLATE "C",
    "nextRunAt" BIGINT,
    "actorId" TEXT COLLATE "C",
    "actorName" TEXT COLLATE "C",

    CONSTRAINT "TestSuite_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "TestRun" (
    "seq" SERIAL NOT NULL,
    "id" TEXT COLLATE "C" NOT NULL,
    "kind" TEXT COLLATE "C" NOT NULL,
    "suiteId" TEXT COLLATE "C",
    "name" TEXT COLLATE "C" NOT NULL,
    "status" TEXT COLLATE "C" NOT NULL,
    "trigger" TEXT COLLATE "C" NOT NULL,
    "actorId" TEXT COLLATE "C" NOT NULL,
    "actorName" TEXT COLLATE "C" NOT NULL,
    "startedAt" BIGINT NOT NULL,
    "finishedAt" BIGINT,
    "total" INTEGER NOT NULL,
    "passed" INTEGER NOT NULL DEFAULT 0,
    "failed" INTEGER NOT NULL DEFAULT 0,
    "errors" INTEGER NOT NULL DEFAULT 0,
    "skipped" INTEGER NOT NULL DEFAULT 0,
    "error" TEXT COLLATE "C",
    "owner" TEXT COLLATE "C",

    CONSTRAINT "TestRun_pkey" PRIMARY KEY ("seq")
);

-- CreateTable
CREATE TABLE "TestResult" (
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

    CONSTRAINT "TestResult_pkey" PRIMARY KEY ("runId", "position")
);

-- CreateIndex
CREATE UNIQUE INDEX "TestSuite_name_key" ON "TestSuite"("name");

-- CreateIndex
CREATE UNIQUE INDEX "TestRun_id_key" ON "TestRun"("id");

-- CreateIndex
CREATE INDEX "TestRun_suiteId_idx" ON "TestRun"("suiteId");

-- CreateIndex
CREATE INDEX "TestRun_running" ON "TestRun"("status") WHERE ("status" = 'running');
