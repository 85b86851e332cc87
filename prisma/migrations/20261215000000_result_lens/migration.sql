-- AlterTable
ALTER TABLE "Execution" ADD COLUMN "lens" TEXT;
ALTER TABLE "Execution" ADD COLUMN "lensFault" TEXT;

-- CreateTable
CREATE TABLE "ToolLens" (
    "toolName" TEXT NOT NULL PRIMARY KEY,
    "expression" TEXT NOT NULL,
    "updatedAt" BIGINT NOT NULL,
    "personId" TEXT NOT NULL,
    "personName" TEXT NOT NULL
);

-- CreateIndex
CREATE INDEX "Execution_lens_failed" ON "Execution"("toolName") WHERE "lensFault" IS NOT NULL;
