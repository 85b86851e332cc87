-- CreateTable
CREATE TABLE "ApprovalChannel" (
    "webhookId" TEXT COLLATE "C" NOT NULL,
    "userId" TEXT COLLATE "C" NOT NULL,
    "receiver" TEXT COLLATE "C" NOT NULL,
    "confirmedAt" BIGINT NOT NULL,

    CONSTRAINT "ApprovalChannel_pkey" PRIMARY KEY ("webhookId")
);

-- CreateIndex
CREATE INDEX "ApprovalChannel_userId_idx" ON "ApprovalChannel"("userId");

-- AlterTable
ALTER TABLE "ApprovalLinkUse" ADD COLUMN "userId" TEXT COLLATE "C";
ALTER TABLE "ApprovalLinkUse" ADD COLUMN "executionId" TEXT COLLATE "C";
ALTER TABLE "ApprovalLinkUse" ADD COLUMN "toolName" TEXT COLLATE "C";
ALTER TABLE "ApprovalLinkUse" ADD COLUMN "status" TEXT COLLATE "C";
ALTER TABLE "ApprovalLinkUse" ADD COLUMN "address" TEXT COLLATE "C";
ALTER TABLE "ApprovalLinkUse" ADD COLUMN "seenAt" BIGINT;

-- CreateIndex
CREATE INDEX "ApprovalLinkUse_userId_idx" ON "ApprovalLinkUse"("userId");
