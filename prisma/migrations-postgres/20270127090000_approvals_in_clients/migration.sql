-- AlterTable
ALTER TABLE "Approval" ADD COLUMN "askedIn" TEXT COLLATE "C";
ALTER TABLE "Approval" ADD COLUMN "decidedIn" TEXT COLLATE "C";
