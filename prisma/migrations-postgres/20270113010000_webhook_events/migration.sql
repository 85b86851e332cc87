-- AlterTable
ALTER TABLE "Webhook" ADD COLUMN "cursor" INTEGER NOT NULL DEFAULT 0;

-- CreateTable
CREATE TABLE "WebhookEvent" (
    "seq" SERIAL NOT NULL,
    "event" TEXT COLLATE "C" NOT NULL,
    "identity" TEXT COLLATE "C" NOT NULL,
    "earlier" TEXT COLLATE "C",
    "tool" TEXT COLLATE "C",
    "createdAt" BIGINT NOT NULL,
    "data" TEXT COLLATE "C" NOT NULL,

    CONSTRAINT "WebhookEvent_pkey" PRIMARY KEY ("seq")
);

-- CreateIndex
CREATE UNIQUE INDEX "WebhookEvent_event_identity_key" ON "WebhookEvent"("event", "identity");
