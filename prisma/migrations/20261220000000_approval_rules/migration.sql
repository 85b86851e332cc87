-- AlterTable
ALTER TABLE "Approval" ADD COLUMN "mode" TEXT;

-- Open requests get the setting that holds now.
UPDATE "Approval" SET "mode" = (
  SELECT m."mode" FROM "Execution" e JOIN "ToolApprovalMode" m ON m."name" = e."toolName"
  WHERE e."id" = "Approval"."executionId"
) WHERE "status" = 'open';
