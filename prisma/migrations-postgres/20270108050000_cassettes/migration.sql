-- CreateTable
CREATE TABLE "ExecutionEvents" (
    "executionId" TEXT COLLATE "C" NOT NULL,
    "events" TEXT COLLATE "C" NOT NULL,
    "protocolError" TEXT COLLATE "C",

    CONSTRAINT "ExecutionEvents_pkey" PRIMARY KEY ("executionId")
);

-- CreateTable
CREATE TABLE "Cassette" (
    "id" TEXT COLLATE "C" NOT NULL,
    "name" TEXT COLLATE "C" NOT NULL,
    "notes" TEXT COLLATE "C" NOT NULL,
    "settings" TEXT COLLATE "C" NOT NULL,
    "servers" TEXT COLLATE "C" NOT NULL,
    "toolCount" INTEGER NOT NULL,
    "callCount" INTEGER NOT NULL,
    "bytes" INTEGER NOT NULL,
    "createdAt" BIGINT NOT NULL,
    "createdBy" TEXT COLLATE "C" NOT NULL,
    "updatedAt" BIGINT NOT NULL,
    "revision" INTEGER NOT NULL DEFAULT 1,
    "changedBy" TEXT COLLATE "C",

    CONSTRAINT "Cassette_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "CassetteLine" (
    "cassetteId" TEXT COLLATE "C" NOT NULL,
    "position" INTEGER NOT NULL,
    "line" TEXT COLLATE "C" NOT NULL,

    CONSTRAINT "CassetteLine_pkey" PRIMARY KEY ("cassetteId", "position")
);

-- CreateTable
CREATE TABLE "CassetteSession" (
    "seq" SERIAL NOT NULL,
    "id" TEXT COLLATE "C" NOT NULL,
    "cassetteId" TEXT COLLATE "C" NOT NULL,
    "key" TEXT COLLATE "C" NOT NULL,
    "label" TEXT COLLATE "C",
    "actorId" TEXT COLLATE "C" NOT NULL,
    "actorName" TEXT COLLATE "C" NOT NULL,
    "client" TEXT COLLATE "C",
    "startedAt" BIGINT NOT NULL,
    "lastAt" BIGINT NOT NULL,

    CONSTRAINT "CassetteSession_pkey" PRIMARY KEY ("seq")
);

-- CreateTable
CREATE TABLE "CassettePlay" (
    "sessionId" TEXT COLLATE "C" NOT NULL,
    "ordinal" INTEGER NOT NULL,
    "at" BIGINT NOT NULL,
    "name" TEXT COLLATE "C" NOT NULL,
    "outcome" TEXT COLLATE "C" NOT NULL,
    "recording" INTEGER,
    "outOfOrder" BOOLEAN NOT NULL,
    "arguments" TEXT COLLATE "C" NOT NULL,
    "message" TEXT COLLATE "C",
    "differences" TEXT COLLATE "C",

    CONSTRAINT "CassettePlay_pkey" PRIMARY KEY ("sessionId", "ordinal")
);

-- CreateIndex
CREATE UNIQUE INDEX "Cassette_name_key" ON "Cassette"("name");

-- CreateIndex
CREATE UNIQUE INDEX "CassetteSession_id_key" ON "CassetteSession"("id");

-- CreateIndex
CREATE INDEX "CassetteSession_cassetteId_key_idx" ON "CassetteSession"("cassetteId", "key");
