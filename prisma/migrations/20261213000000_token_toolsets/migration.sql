-- AlterTable
ALTER TABLE "ApiToken" ADD COLUMN "toolsets" TEXT;
