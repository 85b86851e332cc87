-- AlterTable
ALTER TABLE "Webhook" ADD COLUMN "approverId" TEXT;

-- CreateTable
CREATE TABLE "ApprovalLinkUse" (
    "id" TEXT NOT NULL PRIMARY KEY,
    "usedAt" BIGINT NOT NULL,
    "expiresAt" BIGINT NOT NULL
);

-- CreateIndex
CREATE INDEX "ApprovalLinkUse_expiresAt_idx" ON "ApprovalLinkUse"("expiresAt");
