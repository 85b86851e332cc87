-- AlterTable
ALTER TABLE "Execution" ADD COLUMN "taskId" TEXT;
