-- AlterTable
ALTER TABLE "Command" ADD COLUMN "payload" TEXT;

-- CreateTable
CREATE TABLE "Interaction" (
    "id" TEXT NOT NULL PRIMARY KEY,
    "instanceId" TEXT NOT NULL,
    "request" TEXT NOT NULL
);
