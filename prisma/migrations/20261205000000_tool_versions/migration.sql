-- CreateTable
CREATE TABLE "ToolVersion" (
    "toolName" TEXT NOT NULL,
    "number" INTEGER NOT NULL,
    "name" TEXT NOT NULL,
    "definitionHash" TEXT NOT NULL,
    "definition" TEXT NOT NULL,
    "at" BIGINT NOT NULL,
    "actorId" TEXT,
    "actorName" TEXT,
    "cause" TEXT NOT NULL,
    "restoredFrom" INTEGER,
    "classification" TEXT,

    PRIMARY KEY ("toolName", "number")
);

-- CreateTable
CREATE TABLE "ToolPin" (
    "serverName" TEXT NOT NULL,
    "toolName" TEXT NOT NULL,
    "approvedHash" TEXT,
    "approved" TEXT,
    "heldHash" TEXT,
    "heldAt" BIGINT,
    "status" TEXT NOT NULL,
    "deciderId" TEXT,
    "deciderName" TEXT,
    "decidedAt" BIGINT,

    PRIMARY KEY ("serverName", "toolName")
);

-- CreateIndex
CREATE INDEX "ToolVersion_definitionHash_idx" ON "ToolVersion"("definitionHash");
