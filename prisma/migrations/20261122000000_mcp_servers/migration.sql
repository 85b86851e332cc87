-- CreateTable
CREATE TABLE "McpServer" (
    "id" TEXT NOT NULL PRIMARY KEY,
    "name" TEXT NOT NULL,
    "settings" TEXT NOT NULL,
    "secrets" TEXT,
    "enabled" BOOLEAN NOT NULL DEFAULT true,
    "createdAt" BIGINT NOT NULL,
    "updatedAt" BIGINT NOT NULL,
    "deletedAt" BIGINT
);

-- CreateTable
CREATE TABLE "McpServerState" (
    "name" TEXT NOT NULL PRIMARY KEY,
    "tools" TEXT,
    "listedAt" BIGINT,
    "changes" TEXT,
    "credentials" TEXT,
    "disabledAt" BIGINT
);

-- CreateIndex
CREATE UNIQUE INDEX "McpServer_name_live" ON "McpServer"("name") WHERE deletedAt IS NULL;
