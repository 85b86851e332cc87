-- CreateTable
CREATE TABLE "RuleCase" (
    "id" TEXT NOT NULL PRIMARY KEY,
    "name" TEXT NOT NULL,
    "nameKey" TEXT NOT NULL,
    "rule" TEXT,
    "settings" TEXT NOT NULL,
    "createdAt" BIGINT NOT NULL,
    "updatedAt" BIGINT NOT NULL,
    "revision" INTEGER NOT NULL DEFAULT 1,
    "changedBy" TEXT NOT NULL
);

-- CreateIndex
CREATE UNIQUE INDEX "RuleCase_nameKey_key" ON "RuleCase"("nameKey");
