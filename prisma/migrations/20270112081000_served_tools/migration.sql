-- CreateTable: entries of lists as clients were given them, each once.
CREATE TABLE "ServedTool" (
    "hash" TEXT NOT NULL,
    "entry" TEXT,
    "at" BIGINT NOT NULL,

    PRIMARY KEY ("hash")
);
-- CreateTable: the entries of a list.
CREATE TABLE "ServedListTool" (
    "listHash" TEXT NOT NULL,
    "toolHash" TEXT NOT NULL,

    PRIMARY KEY ("listHash", "toolHash")
);
CREATE INDEX "ServedListTool_toolHash_idx" ON "ServedListTool"("toolHash");
-- CreateTable: the days after its first one on which a session was given a list.
CREATE TABLE "ClientListDay" (
    "sessionId" TEXT NOT NULL,
    "hash" TEXT NOT NULL,
    "day" INTEGER NOT NULL,
    "firstAt" BIGINT NOT NULL,
    "lastAt" BIGINT NOT NULL,
    "count" INTEGER NOT NULL,

    PRIMARY KEY ("sessionId", "hash", "day")
);
