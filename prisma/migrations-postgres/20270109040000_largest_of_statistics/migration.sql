-- AlterTable
ALTER TABLE "Statistic" ADD COLUMN "longestMs" DOUBLE PRECISION,
ADD COLUMN "largestBytes" BIGINT;

-- The calls are counted again after the start.
DELETE FROM "StatisticRebuild";
INSERT INTO "StatisticRebuild" ("id", "below") SELECT 1, 9007199254740991 WHERE EXISTS (SELECT 1 FROM "Execution");
