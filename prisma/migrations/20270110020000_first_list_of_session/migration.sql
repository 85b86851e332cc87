-- AlterTable
ALTER TABLE "ClientSession" ADD COLUMN "listHash" TEXT;
ALTER TABLE "ClientSession" ADD COLUMN "listFirstAt" BIGINT;
ALTER TABLE "ClientSession" ADD COLUMN "listLastAt" BIGINT;
ALTER TABLE "ClientSession" ADD COLUMN "listCount" INTEGER NOT NULL DEFAULT 0;
