-- AlterTable
ALTER TABLE "Execution" ADD COLUMN "calledAs" TEXT;

-- CreateIndex
CREATE INDEX "Execution_called_as" ON "Execution"("calledAs") WHERE "calledAs" IS NOT NULL;

-- CreateIndex
CREATE INDEX "Execution_called_names" ON "Execution"("seq", "calledAs") WHERE "calledAs" IS NOT NULL;
