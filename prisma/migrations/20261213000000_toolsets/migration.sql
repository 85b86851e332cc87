-- CreateTable
CREATE TABLE "Toolset" (
    "id" TEXT NOT NULL PRIMARY KEY,
    "name" TEXT NOT NULL,
    "settings" TEXT NOT NULL,
    "createdAt" BIGINT NOT NULL,
    "updatedAt" BIGINT NOT NULL
);

-- AlterTable
ALTER TABLE "Execution" ADD COLUMN "reason" TEXT;
ALTER TABLE "Execution" ADD COLUMN "toolset" TEXT;

-- CreateIndex
CREATE UNIQUE INDEX "Toolset_name_key" ON "Toolset"("name");

-- CreateIndex
CREATE INDEX "Execution_toolset" ON "Execution"("toolset") WHERE "toolset" IS NOT NULL;

-- Reasons beside the texts of "ExecutionText", whose columns cannot be changed; filled and emptied together with it.
CREATE VIRTUAL TABLE "ExecutionTextReason" USING fts5(
    "reason", content='Execution', content_rowid='seq', tokenize='trigram', detail='none', columnsize=0
);

CREATE TRIGGER "Execution_delete_reason" AFTER DELETE ON "Execution"
WHEN old."searchable" = 1 AND old."reason" IS NOT NULL BEGIN
    INSERT INTO "ExecutionTextReason"("ExecutionTextReason", rowid, "reason") VALUES ('delete', old."seq", old."reason");
END;
