-- CreateTable
CREATE TABLE "AlertRule" (
    "id" TEXT NOT NULL PRIMARY KEY,
    "name" TEXT NOT NULL,
    "nameKey" TEXT NOT NULL,
    "kind" TEXT NOT NULL,
    "tool" TEXT,
    "server" TEXT,
    "threshold" REAL NOT NULL,
    "windowMinutes" INTEGER NOT NULL,
    "minCalls" INTEGER NOT NULL,
    "enabled" BOOLEAN NOT NULL,
    "notify" TEXT NOT NULL,
    "webhooks" BOOLEAN NOT NULL,
    "createdAt" BIGINT NOT NULL,
    "updatedAt" BIGINT NOT NULL,
    "updatedBy" TEXT NOT NULL
);

-- CreateTable
CREATE TABLE "AlertState" (
    "ruleId" TEXT NOT NULL,
    "subject" TEXT NOT NULL,
    "state" TEXT NOT NULL,

    PRIMARY KEY ("ruleId", "subject")
);

-- CreateTable
CREATE TABLE "Alert" (
    "seq" INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    "id" TEXT NOT NULL,
    "ruleId" TEXT NOT NULL,
    "rule" TEXT NOT NULL,
    "kind" TEXT NOT NULL,
    "tool" TEXT,
    "server" TEXT,
    "value" REAL NOT NULL,
    "threshold" REAL NOT NULL,
    "windowMinutes" INTEGER NOT NULL,
    "notify" TEXT NOT NULL,
    "firedAt" BIGINT NOT NULL,
    "resolvedAt" BIGINT,
    "pendingEvent" TEXT
);

-- CreateTable
CREATE TABLE "AlertRead" (
    "userId" TEXT NOT NULL PRIMARY KEY,
    "seq" INTEGER NOT NULL
);

-- CreateIndex
CREATE UNIQUE INDEX "AlertRule_nameKey_key" ON "AlertRule"("nameKey");

-- CreateIndex
CREATE UNIQUE INDEX "Alert_id_key" ON "Alert"("id");
