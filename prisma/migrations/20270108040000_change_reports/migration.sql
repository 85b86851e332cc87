-- CreateTable
CREATE TABLE "ChangeReport" (
    "serverName" TEXT NOT NULL,
    "toolName" TEXT NOT NULL,
    "heldHash" TEXT NOT NULL,
    "judgedAt" BIGINT,
    "traffic" TEXT,
    "brokenIds" TEXT,
    "replay" TEXT,

    PRIMARY KEY ("serverName", "toolName")
);

-- CreateTable
CREATE TABLE "ReplayableTool" (
    "serverName" TEXT NOT NULL,
    "toolName" TEXT NOT NULL,
    "personId" TEXT NOT NULL,
    "personName" TEXT NOT NULL,
    "at" BIGINT NOT NULL,

    PRIMARY KEY ("serverName", "toolName")
);
