-- CreateTable
CREATE TABLE "ToolApprovalMode" (
    "name" TEXT NOT NULL PRIMARY KEY,
    "mode" TEXT NOT NULL,
    "setAt" BIGINT NOT NULL
);

-- CreateTable
CREATE TABLE "Approval" (
    "seq" INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    "executionId" TEXT NOT NULL,
    "status" TEXT NOT NULL,
    "requestedAt" BIGINT NOT NULL,
    "expiresAt" BIGINT NOT NULL,
    "detached" BOOLEAN NOT NULL DEFAULT false,
    "decidedAt" BIGINT,
    "deciderId" TEXT,
    "deciderName" TEXT,
    "reason" TEXT,
    "requestedArguments" TEXT
);

-- CreateTable
CREATE TABLE "Run" (
    "seq" INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    "id" TEXT NOT NULL,
    "status" TEXT NOT NULL,
    "source" TEXT NOT NULL,
    "provider" TEXT NOT NULL,
    "model" TEXT NOT NULL,
    "title" TEXT NOT NULL,
    "actorId" TEXT NOT NULL,
    "actorName" TEXT NOT NULL,
    "startedAt" BIGINT NOT NULL,
    "finishedAt" BIGINT,
    "activeMs" REAL NOT NULL DEFAULT 0,
    "modelCalls" INTEGER NOT NULL DEFAULT 0,
    "toolCalls" INTEGER NOT NULL DEFAULT 0,
    "failedToolCalls" INTEGER NOT NULL DEFAULT 0,
    "inputTokens" INTEGER NOT NULL DEFAULT 0,
    "outputTokens" INTEGER NOT NULL DEFAULT 0,
    "cachedTokens" INTEGER NOT NULL DEFAULT 0,
    "reasoningTokens" INTEGER NOT NULL DEFAULT 0,
    "cost" REAL,
    "error" TEXT,
    "parentId" TEXT,
    "parentStep" INTEGER,
    "parentResults" TEXT,
    "transcriptId" TEXT,
    "instanceId" TEXT NOT NULL,
    "settings" TEXT NOT NULL
);

-- CreateTable
CREATE TABLE "RunEvent" (
    "runId" TEXT NOT NULL,
    "index" INTEGER NOT NULL,
    "at" BIGINT NOT NULL,
    "type" TEXT NOT NULL,
    "body" TEXT NOT NULL,

    PRIMARY KEY ("runId", "index")
);

-- CreateTable
CREATE TABLE "ModelProvider" (
    "name" TEXT NOT NULL PRIMARY KEY,
    "kind" TEXT NOT NULL,
    "settings" TEXT NOT NULL,
    "secret" TEXT,
    "createdAt" BIGINT NOT NULL,
    "updatedAt" BIGINT NOT NULL
);

-- CreateTable
CREATE TABLE "ModelCheck" (
    "seq" INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    "id" TEXT NOT NULL,
    "provider" TEXT NOT NULL,
    "model" TEXT NOT NULL,
    "status" TEXT NOT NULL,
    "rounds" INTEGER NOT NULL,
    "startedAt" BIGINT NOT NULL,
    "finishedAt" BIGINT,
    "passed" INTEGER NOT NULL DEFAULT 0,
    "done" INTEGER NOT NULL DEFAULT 0,
    "total" INTEGER NOT NULL,
    "error" TEXT,
    "instanceId" TEXT NOT NULL,
    "attempts" TEXT NOT NULL
);

-- CreateTable
CREATE TABLE "Transcript" (
    "seq" INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    "id" TEXT NOT NULL,
    "title" TEXT NOT NULL,
    "status" TEXT NOT NULL,
    "error" TEXT,
    "createdAt" BIGINT NOT NULL,
    "closedAt" BIGINT,
    "settings" TEXT NOT NULL,
    "progress" TEXT
);

-- CreateTable
CREATE TABLE "TranscriptSegment" (
    "seq" INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    "transcriptId" TEXT NOT NULL,
    "receivedAt" BIGINT NOT NULL,
    "atMs" REAL,
    "speaker" TEXT,
    "text" TEXT NOT NULL
);

-- CreateTable
CREATE TABLE "TranscriptQuery" (
    "seq" INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    "id" TEXT NOT NULL,
    "transcriptId" TEXT NOT NULL,
    "text" TEXT NOT NULL,
    "wakePhrase" TEXT NOT NULL,
    "speaker" TEXT,
    "fromSeq" INTEGER NOT NULL,
    "toSeq" INTEGER NOT NULL,
    "runId" TEXT,
    "answer" TEXT,
    "askedAt" BIGINT NOT NULL,
    "answeredAt" BIGINT,
    "webhookState" TEXT NOT NULL,
    "webhookAttempts" INTEGER NOT NULL DEFAULT 0,
    "webhookError" TEXT
);

-- CreateIndex
CREATE INDEX "Execution_of_run" ON "Execution"("runId") WHERE runId IS NOT NULL;

-- CreateIndex
CREATE UNIQUE INDEX "Approval_executionId_key" ON "Approval"("executionId");

-- CreateIndex
CREATE INDEX "Approval_open" ON "Approval"("status") WHERE status = 'open';

-- CreateIndex
CREATE UNIQUE INDEX "Run_id_key" ON "Run"("id");

-- CreateIndex
CREATE INDEX "Run_unfinished" ON "Run"("status") WHERE status IN ('running', 'waiting');

-- CreateIndex
CREATE INDEX "Run_children" ON "Run"("parentId") WHERE parentId IS NOT NULL;

-- CreateIndex
CREATE INDEX "Run_of_transcript" ON "Run"("transcriptId") WHERE transcriptId IS NOT NULL;

-- CreateIndex
CREATE UNIQUE INDEX "ModelCheck_id_key" ON "ModelCheck"("id");

-- CreateIndex
CREATE INDEX "ModelCheck_provider_model_idx" ON "ModelCheck"("provider", "model");

-- CreateIndex
CREATE UNIQUE INDEX "Transcript_id_key" ON "Transcript"("id");

-- CreateIndex
CREATE INDEX "TranscriptSegment_transcriptId_idx" ON "TranscriptSegment"("transcriptId");

-- CreateIndex
CREATE UNIQUE INDEX "TranscriptQuery_id_key" ON "TranscriptQuery"("id");

-- CreateIndex
CREATE INDEX "TranscriptQuery_transcriptId_idx" ON "TranscriptQuery"("transcriptId");
