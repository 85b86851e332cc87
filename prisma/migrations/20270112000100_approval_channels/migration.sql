-- CreateTable
CREATE TABLE "ApprovalChannel" (
    "webhookId" TEXT NOT NULL PRIMARY KEY,
    "userId" TEXT NOT NULL,
    "receiver" TEXT NOT NULL,
    "confirmedAt" BIGINT NOT NULL
);

-- CreateIndex
CREATE INDEX "ApprovalChannel_userId_idx" ON "ApprovalChannel"("userId");

-- AlterTable
ALTER TABLE "ApprovalLinkUse" ADD COLUMN "userId" TEXT;
ALTER TABLE "ApprovalLinkUse" ADD COLUMN "executionId" TEXT;
ALTER TABLE "ApprovalLinkUse" ADD COLUMN "toolName" TEXT;
ALTER TABLE "ApprovalLinkUse" ADD COLUMN "status" TEXT;
ALTER TABLE "ApprovalLinkUse" ADD COLUMN "address" TEXT;
ALTER TABLE "ApprovalLinkUse" ADD COLUMN "seenAt" BIGINT;

-- CreateIndex
CREATE INDEX "ApprovalLinkUse_userId_idx" ON "ApprovalLinkUse"("userId");
