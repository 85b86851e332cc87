-- AlterTable
ALTER TABLE "Webhook" ADD COLUMN "cursor" INTEGER NOT NULL DEFAULT 0;

-- CreateTable
CREATE TABLE "WebhookEvent" (
    "seq" INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    "event" TEXT NOT NULL,
    "identity" TEXT NOT NULL,
    "earlier" TEXT,
    "tool" TEXT,
    "createdAt" BIGINT NOT NULL,
    "data" TEXT NOT NULL
);

-- CreateIndex
CREATE UNIQUE INDEX "WebhookEvent_event_identity_key" ON "WebhookEvent"("event", "identity");
