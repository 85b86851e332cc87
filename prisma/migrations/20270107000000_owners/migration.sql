-- AlterTable
ALTER TABLE "Run" ADD COLUMN "owner" TEXT;

-- AlterTable
ALTER TABLE "ModelCheck" ADD COLUMN "owner" TEXT;

-- AlterTable
ALTER TABLE "Transcript" ADD COLUMN "owner" TEXT;
