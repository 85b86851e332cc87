-- CreateIndex: the requests of the last hour, for the budgets of servers.
CREATE INDEX "SamplingRequest_receivedAt_idx" ON "SamplingRequest"("receivedAt");
