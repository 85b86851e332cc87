-- AlterTable
ALTER TABLE "ClientSession" ADD COLUMN "calls" INTEGER NOT NULL DEFAULT 0;
ALTER TABLE "ClientSession" ADD COLUMN "callId" TEXT;
ALTER TABLE "ClientSession" ADD COLUMN "callTool" TEXT;
ALTER TABLE "ClientSession" ADD COLUMN "calledAt" BIGINT;
