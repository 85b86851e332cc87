-- CreateTable
CREATE TABLE "ConformanceRun" (
    "seq" INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    "id" TEXT NOT NULL,
    "serverName" TEXT NOT NULL,
    "parts" TEXT NOT NULL,
    "status" TEXT NOT NULL,
    "actorId" TEXT NOT NULL,
    "actorName" TEXT NOT NULL,
    "startedAt" BIGINT NOT NULL,
    "finishedAt" BIGINT,
    "step" TEXT,
    "error" TEXT,
    "versions" TEXT,
    "checks" TEXT,
    "comparison" TEXT,
    "counts" TEXT,
    "owner" TEXT NOT NULL
);

-- CreateIndex
CREATE UNIQUE INDEX "ConformanceRun_id_key" ON "ConformanceRun"("id");

-- CreateIndex
CREATE INDEX "ConformanceRun_serverName_seq_idx" ON "ConformanceRun"("serverName", "seq");
