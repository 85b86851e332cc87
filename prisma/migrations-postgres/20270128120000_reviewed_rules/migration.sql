-- AlterTable
ALTER TABLE "CallRule" ADD COLUMN "reviewedAt" BIGINT;
