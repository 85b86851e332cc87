-- AlterTable
ALTER TABLE "McpServerState" ADD COLUMN "protocol" TEXT;
