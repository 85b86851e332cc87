-- CreateTable: entries of lists as clients were given them, each once.
CREATE TABLE "ServedTool" (
    "hash" TEXT COLLATE "C" NOT NULL,
    "entry" TEXT COLLATE "C",
    "at" BIGINT NOT NULL,
    CONSTRAINT "ServedTool_pkey" PRIMARY KEY ("hash")
);
-- CreateTable: the entries of a list.
CREATE TABLE "ServedListTool" (
    "listHash" TEXT COLLATE "C" NOT NULL,
    "toolHash" TEXT COLLATE "C" NOT NULL,
    CONSTRAINT "ServedListTool_pkey" PRIMARY KEY ("listHash", "toolHash")
);
CREATE INDEX "ServedListTool_toolHash_idx" ON "ServedListTool"("toolHash");
-- CreateTable: the days after its first one on which a session was given a list.
CREATE TABLE "ClientListDay" (
    "sessionId" TEXT COLLATE "C" NOT NULL,
    "hash" TEXT COLLATE "C" NOT NULL,
    "day" INTEGER NOT NULL,
    "firstAt" BIGINT NOT NULL,
    "lastAt" BIGINT NOT NULL,
    "count" INTEGER NOT NULL,
    CONSTRAINT "ClientListDay_pkey" PRIMARY KEY ("sessionId", "hash", "day")
);
