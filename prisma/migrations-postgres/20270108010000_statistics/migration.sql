-- CreateTable
CREATE TABLE "Statistic" (
    "span" INTEGER NOT NULL,
    "dimension" TEXT COLLATE "C" NOT NULL,
    "start" BIGINT NOT NULL,
    "value" TEXT COLLATE "C" NOT NULL,
    "detail" TEXT COLLATE "C" NOT NULL,
    "kind" TEXT COLLATE "C" NOT NULL,
    "class" TEXT COLLATE "C" NOT NULL,
    "errorKind" TEXT COLLATE "C" NOT NULL,
    "calls" INTEGER NOT NULL,
    "firstSeq" BIGINT NOT NULL,
    "lastSeq" BIGINT NOT NULL,
    "durations" TEXT COLLATE "C" NOT NULL,
    "waits" TEXT COLLATE "C" NOT NULL,
    "sizes" TEXT COLLATE "C" NOT NULL,

    CONSTRAINT "Statistic_pkey" PRIMARY KEY ("span", "dimension", "start", "value", "detail", "kind", "class", "errorKind")
);

-- CreateTable
CREATE TABLE "UncountedExecution" (
    "seq" BIGINT NOT NULL,

    CONSTRAINT "UncountedExecution_pkey" PRIMARY KEY ("seq")
);

-- CreateTable
CREATE TABLE "UncountedDeletion" (
    "id" SERIAL NOT NULL,
    "facts" TEXT COLLATE "C" NOT NULL,

    CONSTRAINT "UncountedDeletion_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "StatisticRebuild" (
    "id" INTEGER NOT NULL,
    "below" BIGINT NOT NULL,

    CONSTRAINT "StatisticRebuild_pkey" PRIMARY KEY ("id")
);

-- The calls that are there are counted after the start.
INSERT INTO "StatisticRebuild" ("id", "below") SELECT 1, 9007199254740991 WHERE EXISTS (SELECT 1 FROM "Execution");
