-- CreateIndex
CREATE INDEX "Execution_errors" ON "Execution"("toolName") WHERE "errorKind" IS NOT NULL;
