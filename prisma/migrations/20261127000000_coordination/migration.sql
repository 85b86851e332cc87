-- CreateTable
CREATE TABLE "Change" (
    "seq" INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    "instanceId" TEXT NOT NULL,
    "topic" TEXT NOT NULL,
    "key" TEXT,
    "at" BIGINT NOT NULL
);

-- CreateTable
CREATE TABLE "Command" (
    "id" TEXT NOT NULL PRIMARY KEY,
    "targetId" TEXT NOT NULL,
    "kind" TEXT NOT NULL,
    "key" TEXT NOT NULL,
    "createdAt" BIGINT NOT NULL,
    "claimedAt" BIGINT,
    "outcome" BOOLEAN
);

-- CreateTable
CREATE TABLE "Lease" (
    "key" TEXT NOT NULL PRIMARY KEY,
    "ownerId" TEXT,
    "fence" INTEGER NOT NULL,
    "expiresAt" BIGINT NOT NULL
);

-- CreateTable
CREATE TABLE "Job" (
    "kind" TEXT NOT NULL,
    "key" TEXT NOT NULL,
    "payload" TEXT,
    "runAt" BIGINT NOT NULL,
    "attempts" INTEGER NOT NULL DEFAULT 0,
    "fence" INTEGER NOT NULL DEFAULT 0,
    "revision" INTEGER NOT NULL DEFAULT 0,
    "ownerId" TEXT,
    "leaseUntil" BIGINT,

    PRIMARY KEY ("kind", "key")
);

-- CreateIndex
CREATE INDEX "Command_unclaimed" ON "Command"("targetId") WHERE "claimedAt" IS NULL;

-- CreateIndex
CREATE INDEX "Job_runAt_idx" ON "Job"("runAt");
