-- CreateTable
CREATE TABLE "ExecutionEvents" (
    "executionId" TEXT NOT NULL PRIMARY KEY,
    "events" TEXT NOT NULL,
    "protocolError" TEXT
);

-- CreateTable
CREATE TABLE "Cassette" (
    "id" TEXT NOT NULL PRIMARY KEY,
    "name" TEXT NOT NULL,
    "notes" TEXT NOT NULL,
    "settings" TEXT NOT NULL,
    "servers" TEXT NOT NULL,
    "toolCount" INTEGER NOT NULL,
    "callCount" INTEGER NOT NULL,
    "bytes" INTEGER NOT NULL,
    "createdAt" BIGINT NOT NULL,
    "createdBy" TEXT NOT NULL,
    "updatedAt" BIGINT NOT NULL,
    "revision" INTEGER NOT NULL DEFAULT 1,
    "changedBy" TEXT
);

-- CreateTable
CREATE TABLE "CassetteLine" (
    "cassetteId" TEXT NOT NULL,
    "position" INTEGER NOT NULL,
    "line" TEXT NOT NULL,

    PRIMARY KEY ("cassetteId", "position")
);

-- CreateTable
CREATE TABLE "CassetteSession" (
    "seq" INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    "id" TEXT NOT NULL,
    "cassetteId" TEXT NOT NULL,
    "key" TEXT NOT NULL,
    "label" TEXT,
    "actorId" TEXT NOT NULL,
    "actorName" TEXT NOT NULL,
    "client" TEXT,
    "startedAt" BIGINT NOT NULL,
    "lastAt" BIGINT NOT NULL
);

-- CreateTable
CREATE TABLE "CassettePlay" (
    "sessionId" TEXT NOT NULL,
    "ordinal" INTEGER NOT NULL,
    "at" BIGINT NOT NULL,
    "name" TEXT NOT NULL,
    "outcome" TEXT NOT NULL,
    "recording" INTEGER,
    "outOfOrder" BOOLEAN NOT NULL,
    "arguments" TEXT NOT NULL,
    "message" TEXT,
    "differences" TEXT,

    PRIMARY KEY ("sessionId", "ordinal")
);

-- CreateIndex
CREATE UNIQUE INDEX "Cassette_name_key" ON "Cassette"("name");

-- CreateIndex
CREATE UNIQUE INDEX "CassetteSession_id_key" ON "CassetteSession"("id");

-- CreateIndex
CREATE INDEX "CassetteSession_cassetteId_key_idx" ON "CassetteSession"("cassetteId", "key");
