-- AlterTable
ALTER TABLE "Run" ADD COLUMN "owner" TEXT COLLATE "C";

-- AlterTable
ALTER TABLE "ModelCheck" ADD COLUMN "owner" TEXT COLLATE "C";

-- AlterTable
ALTER TABLE "Transcript" ADD COLUMN "owner" TEXT COLLATE "C";
