-- CreateTable
CREATE TABLE "ClientSession" (
    "id" TEXT NOT NULL PRIMARY KEY,
    "clientId" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "version" TEXT NOT NULL,
    "era" TEXT NOT NULL,
    "protocol" TEXT NOT NULL,
    "address" TEXT NOT NULL,
    "access" TEXT NOT NULL,
    "actorId" TEXT NOT NULL,
    "actorName" TEXT NOT NULL,
    "tokenId" TEXT,
    "tokenName" TEXT,
    "startedAt" BIGINT NOT NULL,
    "seenAt" BIGINT NOT NULL,
    "endedAt" BIGINT,
    "noticedAt" BIGINT,
    "notices" INTEGER NOT NULL DEFAULT 0
);

-- CreateTable
CREATE TABLE "ClientListing" (
    "sessionId" TEXT NOT NULL,
    "hash" TEXT NOT NULL,
    "firstAt" BIGINT NOT NULL,
    "lastAt" BIGINT NOT NULL,
    "count" INTEGER NOT NULL,

    PRIMARY KEY ("sessionId", "hash")
);

-- CreateTable
CREATE TABLE "ServedList" (
    "hash" TEXT NOT NULL PRIMARY KEY,
    "content" TEXT NOT NULL,
    "tools" INTEGER NOT NULL,
    "at" BIGINT NOT NULL
);

-- CreateIndex
CREATE INDEX "ClientSession_clientId_idx" ON "ClientSession"("clientId");

-- CreateIndex
CREATE INDEX "ClientSession_seenAt_idx" ON "ClientSession"("seenAt");

-- CreateIndex
CREATE INDEX "ClientListing_hash_idx" ON "ClientListing"("hash");
