-- DropIndex
DROP INDEX "WebhookDelivery_pending";

-- CreateIndex
CREATE INDEX "WebhookDelivery_due" ON "WebhookDelivery"("webhookId", "nextAt") WHERE ("status" = 'pending');

-- AlterTable
ALTER TABLE "Webhook" ADD COLUMN "failures" INTEGER NOT NULL DEFAULT 0,
ADD COLUMN "failingSince" BIGINT,
ADD COLUMN "restsUntil" BIGINT;
