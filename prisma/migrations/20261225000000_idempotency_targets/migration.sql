-- CreateIndex
CREATE INDEX "IdempotencyKey_targetId_idx" ON "IdempotencyKey"("targetId");
