-- CreateTable
CREATE TABLE "CallRule" (
    "id" TEXT COLLATE "C" NOT NULL,
    "name" TEXT COLLATE "C" NOT NULL,
    "nameKey" TEXT COLLATE "C" NOT NULL,
    "position" INTEGER NOT NULL,
    "state" TEXT COLLATE "C" NOT NULL,
    "settings" TEXT COLLATE "C" NOT NULL,
    "createdAt" BIGINT NOT NULL,
    "updatedAt" BIGINT NOT NULL,
    "revision" INTEGER NOT NULL DEFAULT 1,
    "changedBy" TEXT COLLATE "C" NOT NULL,

    CONSTRAINT "CallRule_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "RuleMatch" (
    "executionId" TEXT COLLATE "C" NOT NULL,
    "ruleId" TEXT COLLATE "C" NOT NULL,
    "name" TEXT COLLATE "C" NOT NULL,
    "version" INTEGER NOT NULL,
    "effect" TEXT COLLATE "C" NOT NULL,
    "recordOnly" BOOLEAN NOT NULL,
    "matchedAt" BIGINT NOT NULL,
    "facts" TEXT COLLATE "C" NOT NULL,

    CONSTRAINT "RuleMatch_pkey" PRIMARY KEY ("executionId", "ruleId")
);

-- CreateIndex
CREATE UNIQUE INDEX "CallRule_nameKey_key" ON "CallRule"("nameKey");

-- CreateIndex
CREATE INDEX "RuleMatch_ruleId_matchedAt_idx" ON "RuleMatch"("ruleId", "matchedAt");
