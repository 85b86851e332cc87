-- Failed calls are counted by class, and invalid ones by who entered the arguments: the calls are counted again after the start.
DELETE FROM "StatisticRebuild";
INSERT INTO "StatisticRebuild" ("id", "below") SELECT 1, 9007199254740991 WHERE EXISTS (SELECT 1 FROM "Execution");
