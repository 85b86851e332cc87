-- CreateTable
CREATE TABLE "GatewayTask" (
    "id" TEXT NOT NULL PRIMARY KEY,
    "executionId" TEXT NOT NULL,
    "owner" TEXT NOT NULL,
    "calledAs" TEXT NOT NULL,
    "createdAt" BIGINT NOT NULL,
    "expiresAt" BIGINT NOT NULL
);

-- CreateIndex
CREATE INDEX "GatewayTask_owner_expiresAt_idx" ON "GatewayTask"("owner", "expiresAt");

-- CreateIndex
CREATE INDEX "GatewayTask_expiresAt_idx" ON "GatewayTask"("expiresAt");
