-- Calls of model checks have a source of their own, so that lists and figures can leave them out.
UPDATE "Execution" SET "source" = 'check'
WHERE "runId" IS NOT NULL AND "runId" IN (SELECT "id" FROM "Run" WHERE "source" = 'check');
