-- CreateTable
CREATE TABLE "SamplingRequest" (
    "id" INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    "executionId" TEXT NOT NULL,
    "receivedAt" BIGINT NOT NULL,
    "durationMs" REAL NOT NULL,
    "outcome" TEXT NOT NULL,
    "provider" TEXT,
    "model" TEXT,
    "requestText" TEXT NOT NULL,
    "responseText" TEXT,
    "stopReason" TEXT,
    "error" TEXT,
    "inputTokens" INTEGER,
    "outputTokens" INTEGER
);

-- CreateIndex
CREATE INDEX "SamplingRequest_executionId_idx" ON "SamplingRequest"("executionId");
