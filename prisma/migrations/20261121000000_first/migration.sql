-- CreateTable
CREATE TABLE "Execution" (
    "seq" INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    "id" TEXT NOT NULL,
    "status" TEXT NOT NULL,
    "searchable" INTEGER NOT NULL DEFAULT 0,
    "pinned" BOOLEAN NOT NULL DEFAULT false,
    "resultTruncated" BOOLEAN NOT NULL DEFAULT false,
    "validationSkipped" BOOLEAN NOT NULL DEFAULT false,
    "toolName" TEXT NOT NULL,
    "implementationType" TEXT,
    "source" TEXT NOT NULL,
    "actorId" TEXT NOT NULL,
    "actorName" TEXT NOT NULL,
    "client" TEXT,
    "queuedAt" BIGINT NOT NULL,
    "startedAt" BIGINT,
    "finishedAt" BIGINT,
    "executionTimeMs" REAL,
    "validateMs" REAL,
    "recordMs" REAL,
    "runMs" REAL,
    "timeoutMs" REAL,
    "resultBytes" INTEGER,
    "storedBytes" INTEGER,
    "modelChars" INTEGER,
    "resultChars" INTEGER,
    "errorKind" TEXT,
    "parentId" TEXT,
    "runId" TEXT,
    "callId" TEXT,
    "serverName" TEXT,
    "protocol" TEXT,
    "definitionHash" TEXT,
    "instanceId" TEXT NOT NULL,
    "argumentsPreview" TEXT,
    "firedLimit" TEXT,
    "error" TEXT,
    "faults" TEXT,
    "logs" TEXT,
    "arguments" TEXT NOT NULL,
    "result" TEXT,
    CONSTRAINT "Execution_definitionHash_fkey" FOREIGN KEY ("definitionHash") REFERENCES "Definition" ("hash") ON DELETE RESTRICT ON UPDATE RESTRICT
);

-- CreateTable
CREATE TABLE "Definition" (
    "hash" TEXT NOT NULL PRIMARY KEY,
    "toolName" TEXT NOT NULL,
    "json" TEXT NOT NULL
);

-- CreateTable
CREATE TABLE "Tool" (
    "id" TEXT NOT NULL PRIMARY KEY,
    "name" TEXT NOT NULL,
    "definition" TEXT NOT NULL,
    "enabled" BOOLEAN NOT NULL DEFAULT true,
    "createdAt" BIGINT NOT NULL,
    "updatedAt" BIGINT NOT NULL,
    "deletedAt" BIGINT
);

-- CreateTable
CREATE TABLE "DisabledTool" (
    "name" TEXT NOT NULL PRIMARY KEY,
    "disabledAt" BIGINT NOT NULL
);

-- CreateTable
CREATE TABLE "Instance" (
    "id" TEXT NOT NULL PRIMARY KEY,
    "pid" INTEGER NOT NULL,
    "host" TEXT NOT NULL,
    "startedAt" BIGINT NOT NULL,
    "heartbeatAt" BIGINT NOT NULL
);

-- CreateIndex
CREATE UNIQUE INDEX "Execution_id_key" ON "Execution"("id");

-- CreateIndex
CREATE INDEX "Execution_toolName_idx" ON "Execution"("toolName");

-- CreateIndex
CREATE INDEX "Execution_source_idx" ON "Execution"("source");

-- CreateIndex
CREATE INDEX "Execution_actorId_idx" ON "Execution"("actorId");

-- CreateIndex
CREATE INDEX "Execution_queuedAt_idx" ON "Execution"("queuedAt");

-- CreateIndex
CREATE INDEX "Execution_unsuccessful" ON "Execution"("status") WHERE status <> 'succeeded';

-- CreateIndex
CREATE INDEX "Execution_unindexed" ON "Execution"("searchable") WHERE searchable <> 1;

-- CreateIndex
CREATE INDEX "Execution_children" ON "Execution"("parentId") WHERE parentId IS NOT NULL;

-- CreateIndex
CREATE INDEX "Execution_pinned" ON "Execution"("pinned") WHERE pinned <> 0;

-- CreateIndex
CREATE UNIQUE INDEX "Tool_name_live" ON "Tool"("name") WHERE deletedAt IS NULL;

-- What Prisma's schema cannot say.

-- Which rows hold which three characters; no positions and no copy of the text, so that it stays small. A match is a
-- candidate only: the text itself is compared afterwards.
CREATE VIRTUAL TABLE "ExecutionText" USING fts5(
    "arguments", "result", "error",
    content='Execution', content_rowid='seq', tokenize='trigram', detail='none', columnsize=0
);

-- An external-content table has to be told the old text when a row goes.
CREATE TRIGGER "Execution_delete_text" AFTER DELETE ON "Execution" WHEN old."searchable" = 1 BEGIN
    INSERT INTO "ExecutionText"("ExecutionText", rowid, "arguments", "result", "error")
    VALUES ('delete', old."seq", old."arguments", old."result", old."error");
END;
