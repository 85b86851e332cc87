-- CreateTable
CREATE TABLE "ChangeReport" (
    "serverName" TEXT COLLATE "C" NOT NULL,
    "toolName" TEXT COLLATE "C" NOT NULL,
    "heldHash" TEXT COLLATE "C" NOT NULL,
    "judgedAt" BIGINT,
    "traffic" TEXT COLLATE "C",
    "brokenIds" TEXT COLLATE "C",
    "replay" TEXT COLLATE "C",
    CONSTRAINT "ChangeReport_pkey" PRIMARY KEY ("serverName", "toolName")
);

-- CreateTable
CREATE TABLE "ReplayableTool" (
    "serverName" TEXT COLLATE "C" NOT NULL,
    "toolName" TEXT COLLATE "C" NOT NULL,
    "personId" TEXT COLLATE "C" NOT NULL,
    "personName" TEXT COLLATE "C" NOT NULL,
    "at" BIGINT NOT NULL,
    CONSTRAINT "ReplayableTool_pkey" PRIMARY KEY ("serverName", "toolName")
);
