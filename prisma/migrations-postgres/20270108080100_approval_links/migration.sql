-- AlterTable
ALTER TABLE "Webhook" ADD COLUMN "approverId" TEXT COLLATE "C";

-- CreateTable
CREATE TABLE "ApprovalLinkUse" (
    "id" TEXT COLLATE "C" NOT NULL,
    "usedAt" BIGINT NOT NULL,
    "expiresAt" BIGINT NOT NULL,

    CONSTRAINT "ApprovalLinkUse_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE INDEX "ApprovalLinkUse_expiresAt_idx" ON "ApprovalLinkUse"("expiresAt");
