-- CreateTable
CREATE TABLE "AlertRule" (
    "id" TEXT COLLATE "C" NOT NULL,
    "name" TEXT COLLATE "C" NOT NULL,
    "nameKey" TEXT COLLATE "C" NOT NULL,
    "kind" TEXT COLLATE "C" NOT NULL,
    "tool" TEXT COLLATE "C",
    "server" TEXT COLLATE "C",
    "threshold" DOUBLE PRECISION NOT NULL,
    "windowMinutes" INTEGER NOT NULL,
    "minCalls" INTEGER NOT NULL,
    "enabled" BOOLEAN NOT NULL,
    "notify" TEXT COLLATE "C" NOT NULL,
    "webhooks" BOOLEAN NOT NULL,
    "createdAt" BIGINT NOT NULL,
    "updatedAt" BIGINT NOT NULL,
    "updatedBy" TEXT COLLATE "C" NOT NULL,

    CONSTRAINT "AlertRule_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "AlertState" (
    "ruleId" TEXT COLLATE "C" NOT NULL,
    "subject" TEXT COLLATE "C" NOT NULL,
    "state" TEXT COLLATE "C" NOT NULL,

    CONSTRAINT "AlertState_pkey" PRIMARY KEY ("ruleId","subject")
);

-- CreateTable
CREATE TABLE "Alert" (
    "seq" SERIAL NOT NULL,
    "id" TEXT COLLATE "C" NOT NULL,
    "ruleId" TEXT COLLATE "C" NOT NULL,
    "rule" TEXT COLLATE "C" NOT NULL,
    "kind" TEXT COLLATE "C" NOT NULL,
    "tool" TEXT COLLATE "C",
    "server" TEXT COLLATE "C",
    "value" DOUBLE PRECISION NOT NULL,
    "threshold" DOUBLE PRECISION NOT NULL,
    "windowMinutes" INTEGER NOT NULL,
    "notify" TEXT COLLATE "C" NOT NULL,
    "firedAt" BIGINT NOT NULL,
    "resolvedAt" BIGINT,
    "pendingEvent" TEXT COLLATE "C",

    CONSTRAINT "Alert_pkey" PRIMARY KEY ("seq")
);

-- CreateTable
CREATE TABLE "AlertRead" (
    "userId" TEXT COLLATE "C" NOT NULL,
    "seq" INTEGER NOT NULL,

    CONSTRAINT "AlertRead_pkey" PRIMARY KEY ("userId")
);

-- CreateIndex
CREATE UNIQUE INDEX "AlertRule_nameKey_key" ON "AlertRule"("nameKey");

-- CreateIndex
CREATE UNIQUE INDEX "Alert_id_key" ON "Alert"("id");
