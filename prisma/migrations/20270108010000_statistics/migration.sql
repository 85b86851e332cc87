-- Rows lie in the order of their key, which is most of them: an index beside the table would hold all of it twice.
-- CreateTable
CREATE TABLE "Statistic" (
    "span" INTEGER NOT NULL,
    "dimension" TEXT NOT NULL,
    "start" BIGINT NOT NULL,
    "value" TEXT NOT NULL,
    "detail" TEXT NOT NULL,
    "kind" TEXT NOT NULL,
    "class" TEXT NOT NULL,
    "errorKind" TEXT NOT NULL,
    "calls" INTEGER NOT NULL,
    "firstSeq" BIGINT NOT NULL,
    "lastSeq" BIGINT NOT NULL,
    "durations" TEXT NOT NULL,
    "waits" TEXT NOT NULL,
    "sizes" TEXT NOT NULL,

    PRIMARY KEY ("span", "dimension", "start", "value", "detail", "kind", "class", "errorKind")
) WITHOUT ROWID;

-- CreateTable
CREATE TABLE "UncountedExecution" (
    "seq" INTEGER NOT NULL PRIMARY KEY
);

-- CreateTable
CREATE TABLE "UncountedDeletion" (
    "id" INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    "facts" TEXT NOT NULL
);

-- CreateTable
CREATE TABLE "StatisticRebuild" (
    "id" INTEGER NOT NULL PRIMARY KEY,
    "below" BIGINT NOT NULL
);

-- The calls that are there are counted after the start.
INSERT INTO "StatisticRebuild" ("id", "below") SELECT 1, 9007199254740991 WHERE EXISTS (SELECT 1 FROM "Execution");
