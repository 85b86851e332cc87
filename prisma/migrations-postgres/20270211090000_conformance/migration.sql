-- CreateTable
CREATE TABLE "ConformanceRun" (
    "seq" SERIAL NOT NULL,
    "id" TEXT COLLATE "C" NOT NULL,
    "serverName" TEXT COLLATE "C" NOT NULL,
    "parts" TEXT COLLATE "C" NOT NULL,
    "status" TEXT COLLATE "C" NOT NULL,
    "actorId" TEXT COLLATE "C" NOT NULL,
    "actorName" TEXT COLLATE "C" NOT NULL,
    "startedAt" BIGINT NOT NULL,
    "finishedAt" BIGINT,
    "step" TEXT COLLATE "C",
    "error" TEXT COLLATE "C",
    "versions" TEXT COLLATE "C",
    "checks" TEXT COLLATE "C",
    "comparison" TEXT COLLATE "C",
    "counts" TEXT COLLATE "C",
    "owner" TEXT COLLATE "C" NOT NULL,

    CONSTRAINT "ConformanceRun_pkey" PRIMARY KEY ("seq")
);

-- CreateIndex
CREATE UNIQUE INDEX "ConformanceRun_id_key" ON "ConformanceRun"("id");

-- CreateIndex
CREATE INDEX "ConformanceRun_serverName_seq_idx" ON "ConformanceRun"("serverName", "seq");
