-- CreateIndex
CREATE INDEX "Execution_errors" ON "Execution"("toolName", "seq") WHERE "errorKind" IS NOT NULL;
