-- The search index is a file of its own, which the server builds from the calls.
DROP TRIGGER "Execution_delete_text";
DROP TRIGGER "Execution_delete_reason";
DROP TABLE "ExecutionText";
DROP TABLE "ExecutionTextReason";

-- DropIndex
DROP INDEX "Execution_unindexed";

-- What Prisma's schema cannot say.

-- Calls whose texts changed or went after they were indexed. The newest row stays, so that no id is given twice.
CREATE TABLE "ExecutionTextChange" (
    "id" INTEGER NOT NULL PRIMARY KEY,
    "seq" INTEGER NOT NULL,
    "removed" INTEGER NOT NULL
);
CREATE INDEX "ExecutionTextChange_kept" ON "ExecutionTextChange"("seq") WHERE "removed" = 0;

-- Names the index that belongs to this database; another one is built again.
CREATE TABLE "ExecutionTextBinding" ("id" TEXT NOT NULL);

CREATE TRIGGER "Execution_removed_text" AFTER DELETE ON "Execution" BEGIN
    INSERT INTO "ExecutionTextChange" ("seq", "removed") VALUES (old."seq", 1);
END;
