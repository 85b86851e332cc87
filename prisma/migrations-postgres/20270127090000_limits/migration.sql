-- CreateTable
CREATE TABLE "LimitCount" (
    "ruleId" TEXT COLLATE "C" NOT NULL,
    "key" TEXT COLLATE "C" NOT NULL,
    "parts" TEXT COLLATE "C" NOT NULL,
    "expiresAt" BIGINT NOT NULL,

    CONSTRAINT "LimitCount_pkey" PRIMARY KEY ("ruleId", "key")
);

-- CreateIndex
CREATE INDEX "LimitCount_expiresAt_idx" ON "LimitCount"("expiresAt");
