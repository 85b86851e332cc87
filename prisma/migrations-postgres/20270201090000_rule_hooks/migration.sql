-- AlterTable
ALTER TABLE "CallRule" ADD COLUMN "hookSecret" TEXT COLLATE "C";
