-- AlterTable
ALTER TABLE "Execution" ADD COLUMN "cost" BIGINT;

-- CreateTable
CREATE TABLE "Spend" (
    "day" INTEGER NOT NULL,
    "kind" TEXT COLLATE "C" NOT NULL,
    "actorId" TEXT COLLATE "C" NOT NULL,
    "client" TEXT COLLATE "C" NOT NULL,
    "name" TEXT COLLATE "C" NOT NULL,
    "actorName" TEXT COLLATE "C" NOT NULL,
    "calls" BIGINT NOT NULL,
    "micros" BIGINT NOT NULL,

    CONSTRAINT "Spend_pkey" PRIMARY KEY ("day", "kind", "actorId", "client", "name")
);

-- CreateIndex
CREATE INDEX "Execution_costs" ON "Execution"("seq", "cost") WHERE "cost" IS NOT NULL;

-- What runs of earlier versions cost.
INSERT INTO "Spend" ("day", "kind", "actorId", "client", "name", "actorName", "calls", "micros")
SELECT (r."startedAt" / 86400000)::integer, 'model', r."actorId", '', r."provider" || '/' || r."model", max(r."actorName"), sum(r."modelCalls"), sum(round((r."cost" * 1000000)::numeric)::bigint)
FROM "Run" r WHERE r."cost" IS NOT NULL GROUP BY 1, 3, 5;
