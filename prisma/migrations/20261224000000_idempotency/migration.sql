-- AlterTable
ALTER TABLE "Execution" ADD COLUMN "tokenId" TEXT;

-- CreateTable
CREATE TABLE "IdempotencyKey" (
    "owner" TEXT NOT NULL,
    "key" TEXT NOT NULL,
    "fingerprint" TEXT NOT NULL,
    "targetId" TEXT NOT NULL,
    "createdAt" BIGINT NOT NULL,

    PRIMARY KEY ("owner", "key")
);

-- CreateIndex
CREATE INDEX "IdempotencyKey_createdAt_idx" ON "IdempotencyKey"("createdAt");

-- CreateIndex
CREATE INDEX "Execution_token" ON "Execution"("tokenId") WHERE "tokenId" IS NOT NULL;
