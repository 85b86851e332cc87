-- DropIndex
DROP INDEX "Approval_open";

-- DropIndex
DROP INDEX "Execution_of_run";

-- DropIndex
DROP INDEX "Execution_pinned";

-- DropIndex
DROP INDEX "Execution_children";

-- DropIndex
DROP INDEX "Execution_unindexed";

-- DropIndex
DROP INDEX "Execution_unsuccessful";

-- DropIndex
DROP INDEX "McpServer_name_live";

-- DropIndex
DROP INDEX "Run_of_transcript";

-- DropIndex
DROP INDEX "Run_children";

-- DropIndex
DROP INDEX "Tool_name_live";

-- CreateIndex
CREATE INDEX "Approval_open" ON "Approval"("status") WHERE "status" = 'open';

-- CreateIndex
CREATE INDEX "Execution_unsuccessful" ON "Execution"("status") WHERE "status" != 'succeeded';

-- CreateIndex
CREATE INDEX "Execution_unindexed" ON "Execution"("searchable") WHERE "searchable" != 1;

-- CreateIndex
CREATE INDEX "Execution_children" ON "Execution"("parentId") WHERE "parentId" IS NOT NULL;

-- CreateIndex
CREATE INDEX "Execution_pinned" ON "Execution"("pinned") WHERE "pinned" = true;

-- CreateIndex
CREATE INDEX "Execution_of_run" ON "Execution"("runId") WHERE "runId" IS NOT NULL;

-- CreateIndex
CREATE UNIQUE INDEX "McpServer_name_live" ON "McpServer"("name") WHERE "deletedAt" IS NULL;

-- CreateIndex
CREATE INDEX "Run_children" ON "Run"("parentId") WHERE "parentId" IS NOT NULL;

-- CreateIndex
CREATE INDEX "Run_of_transcript" ON "Run"("transcriptId") WHERE "transcriptId" IS NOT NULL;

-- CreateIndex
CREATE UNIQUE INDEX "Tool_name_live" ON "Tool"("name") WHERE "deletedAt" IS NULL;
