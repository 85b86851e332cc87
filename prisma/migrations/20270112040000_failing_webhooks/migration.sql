-- DropIndex
DROP INDEX "WebhookDelivery_pending";

-- CreateIndex
CREATE INDEX "WebhookDelivery_due" ON "WebhookDelivery"("webhookId", "nextAt") WHERE "status" = 'pending';

-- AlterTable
ALTER TABLE "Webhook" ADD COLUMN "failures" INTEGER NOT NULL DEFAULT 0;
ALTER TABLE "Webhook" ADD COLUMN "failingSince" BIGINT;
ALTER TABLE "Webhook" ADD COLUMN "restsUntil" BIGINT;
