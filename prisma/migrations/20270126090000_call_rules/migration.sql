-- CreateTable
CREATE TABLE "CallRule" (
    "id" TEXT NOT NULL PRIMARY KEY,
    "name" TEXT NOT NULL,
    "nameKey" TEXT NOT NULL,
    "position" INTEGER NOT NULL,
    "state" TEXT NOT NULL,
    "settings" TEXT NOT NULL,
    "createdAt" BIGINT NOT NULL,
    "updatedAt" BIGINT NOT NULL,
    "revision" INTEGER NOT NULL DEFAULT 1,
    "changedBy" TEXT NOT NULL
);

-- CreateTable
CREATE TABLE "RuleMatch" (
    "executionId" TEXT NOT NULL,
    "ruleId" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "version" INTEGER NOT NULL,
    "effect" TEXT NOT NULL,
    "recordOnly" BOOLEAN NOT NULL,
    "matchedAt" BIGINT NOT NULL,
    "facts" TEXT NOT NULL,

    PRIMARY KEY ("executionId", "ruleId")
);

-- CreateIndex
CREATE UNIQUE INDEX "CallRule_nameKey_key" ON "CallRule"("nameKey");

-- CreateIndex
CREATE INDEX "RuleMatch_ruleId_matchedAt_idx" ON "RuleMatch"("ruleId", "matchedAt");
