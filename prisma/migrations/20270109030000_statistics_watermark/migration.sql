-- CreateTable
CREATE TABLE "StatisticWatermark" (
    "id" INTEGER NOT NULL PRIMARY KEY,
    "seq" BIGINT NOT NULL
);
