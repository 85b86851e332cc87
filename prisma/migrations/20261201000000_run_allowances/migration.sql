-- AlterTable
ALTER TABLE "Approval" ADD COLUMN "scope" TEXT;
ALTER TABLE "Approval" ADD COLUMN "revokedAt" BIGINT;
ALTER TABLE "Approval" ADD COLUMN "revokerId" TEXT;
ALTER TABLE "Approval" ADD COLUMN "revokerName" TEXT;
