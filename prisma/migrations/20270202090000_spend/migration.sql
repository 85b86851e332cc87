-- AlterTable
ALTER TABLE "Execution" ADD COLUMN "cost" BIGINT;

-- CreateTable
CREATE TABLE "Spend" (
    "day" INTEGER NOT NULL,
    "kind" TEXT NOT NULL,
    "actorId" TEXT NOT NULL,
    "client" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "actorName" TEXT NOT NULL,
    "calls" BIGINT NOT NULL,
    "micros" BIGINT NOT NULL,

    PRIMARY KEY ("day", "kind", "actorId", "client", "name")
);

-- CreateIndex
CREATE INDEX "Execution_costs" ON "Execution"("seq", "cost") WHERE "cost" IS NOT NULL;

-- What runs of earlier versions cost.
INSERT INTO "Spend" ("day", "kind", "actorId", "client", "name", "actorName", "calls", "micros")
SELECT r."startedAt" / 86400000, 'model', r."actorId", '', r."provider" || '/' || r."model", max(r."actorName"), sum(r."modelCalls"), sum(CAST(round(r."cost" * 1000000) AS INTEGER))
FROM "Run" r WHERE r."cost" IS NOT NULL GROUP BY 1, 3, 5;
