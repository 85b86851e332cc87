-- AlterTable
ALTER TABLE "Approval" ADD COLUMN "askedIn" TEXT;
ALTER TABLE "Approval" ADD COLUMN "decidedIn" TEXT;
