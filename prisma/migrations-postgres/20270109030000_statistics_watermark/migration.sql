-- CreateTable
CREATE TABLE "StatisticWatermark" (
    "id" INTEGER NOT NULL,
    "seq" BIGINT NOT NULL,

    CONSTRAINT "StatisticWatermark_pkey" PRIMARY KEY ("id")
);
