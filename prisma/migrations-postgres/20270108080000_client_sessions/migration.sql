-- CreateTable
CREATE TABLE "ClientSession" (
    "id" TEXT COLLATE "C" NOT NULL,
    "clientId" TEXT COLLATE "C" NOT NULL,
    "name" TEXT COLLATE "C" NOT NULL,
    "version" TEXT COLLATE "C" NOT NULL,
    "era" TEXT COLLATE "C" NOT NULL,
    "protocol" TEXT COLLATE "C" NOT NULL,
    "address" TEXT COLLATE "C" NOT NULL,
    "access" TEXT COLLATE "C" NOT NULL,
    "actorId" TEXT COLLATE "C" NOT NULL,
    "actorName" TEXT COLLATE "C" NOT NULL,
    "tokenId" TEXT COLLATE "C",
    "tokenName" TEXT COLLATE "C",
    "startedAt" BIGINT NOT NULL,
    "seenAt" BIGINT NOT NULL,
    "endedAt" BIGINT,
    "noticedAt" BIGINT,
    "notices" INTEGER NOT NULL DEFAULT 0,

    CONSTRAINT "ClientSession_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "ClientListing" (
    "sessionId" TEXT COLLATE "C" NOT NULL,
    "hash" TEXT COLLATE "C" NOT NULL,
    "firstAt" BIGINT NOT NULL,
    "lastAt" BIGINT NOT NULL,
    "count" INTEGER NOT NULL,

    CONSTRAINT "ClientListing_pkey" PRIMARY KEY ("sessionId","hash")
);

-- CreateTable
CREATE TABLE "ServedList" (
    "hash" TEXT COLLATE "C" NOT NULL,
    "content" TEXT COLLATE "C" NOT NULL,
    "tools" INTEGER NOT NULL,
    "at" BIGINT NOT NULL,

    CONSTRAINT "ServedList_pkey" PRIMARY KEY ("hash")
);

-- CreateIndex
CREATE INDEX "ClientSession_clientId_idx" ON "ClientSession"("clientId");

-- CreateIndex
CREATE INDEX "ClientSession_seenAt_idx" ON "ClientSession"("seenAt");

-- CreateIndex
CREATE INDEX "ClientListing_hash_idx" ON "ClientListing"("hash");
