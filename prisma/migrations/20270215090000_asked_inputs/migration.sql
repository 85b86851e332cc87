-- CreateTable
CREATE TABLE "AskedInput" (
    "server" TEXT NOT NULL,
    "tool" TEXT NOT NULL,
    "kind" TEXT NOT NULL,
    "lastAt" BIGINT NOT NULL,

    PRIMARY KEY ("server", "tool", "kind")
);
