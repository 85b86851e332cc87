-- AlterTable
ALTER TABLE "AlertRule" ADD COLUMN "each" TEXT COLLATE "C";

-- AlterTable
ALTER TABLE "Alert" ADD COLUMN "client" TEXT COLLATE "C";

-- CreateTable
CREATE TABLE "ServerOutage" (
    "id" SERIAL NOT NULL,
    "server" TEXT COLLATE "C" NOT NULL,
    "status" TEXT COLLATE "C" NOT NULL,
    "startedAt" BIGINT NOT NULL,
    "endedAt" BIGINT,

    CONSTRAINT "ServerOutage_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE INDEX "ServerOutage_endedAt_idx" ON "ServerOutage"("endedAt");

-- Rules remembered since when their servers are away.
INSERT INTO "ServerOutage" ("server", "status", "startedAt")
SELECT "subject", 'disconnected', min(("state"::json->>'downSince')::bigint) FROM "AlertState"
WHERE "state"::json->>'downSince' IS NOT NULL GROUP BY "subject";
