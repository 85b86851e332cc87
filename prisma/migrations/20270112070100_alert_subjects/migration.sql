-- AlterTable
ALTER TABLE "AlertRule" ADD COLUMN "each" TEXT;

-- AlterTable
ALTER TABLE "Alert" ADD COLUMN "client" TEXT;

-- CreateTable
CREATE TABLE "ServerOutage" (
    "id" INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    "server" TEXT NOT NULL,
    "status" TEXT NOT NULL,
    "startedAt" BIGINT NOT NULL,
    "endedAt" BIGINT
);

-- CreateIndex
CREATE INDEX "ServerOutage_endedAt_idx" ON "ServerOutage"("endedAt");

-- Rules remembered since when their servers are away.
INSERT INTO "ServerOutage" ("server", "status", "startedAt")
SELECT "subject", 'disconnected', min(json_extract("state", '$.downSince')) FROM "AlertState"
WHERE json_extract("state", '$.downSince') IS NOT NULL GROUP BY "subject";
