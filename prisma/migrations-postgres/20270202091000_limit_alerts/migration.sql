-- AlterTable
ALTER TABLE "Alert" ADD COLUMN "limited" TEXT COLLATE "C";
