-- CreateTable
CREATE TABLE "LimitCount" (
    "ruleId" TEXT NOT NULL,
    "key" TEXT NOT NULL,
    "parts" TEXT NOT NULL,
    "expiresAt" BIGINT NOT NULL,

    PRIMARY KEY ("ruleId", "key")
);

-- CreateIndex
CREATE INDEX "LimitCount_expiresAt_idx" ON "LimitCount"("expiresAt");
