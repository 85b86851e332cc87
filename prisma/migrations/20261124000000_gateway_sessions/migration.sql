-- CreateTable
CREATE TABLE "GatewaySession" (
    "idHash" TEXT NOT NULL PRIMARY KEY,
    "address" TEXT NOT NULL,
    "protocol" TEXT NOT NULL,
    "client" TEXT NOT NULL,
    "logLevel" TEXT,
    "createdAt" BIGINT NOT NULL,
    "lastUsedAt" BIGINT NOT NULL
);

-- CreateIndex
CREATE INDEX "GatewaySession_lastUsedAt_idx" ON "GatewaySession"("lastUsedAt");
