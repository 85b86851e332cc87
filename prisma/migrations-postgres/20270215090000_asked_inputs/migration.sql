-- CreateTable
CREATE TABLE "AskedInput" (
    "server" TEXT COLLATE "C" NOT NULL,
    "tool" TEXT COLLATE "C" NOT NULL,
    "kind" TEXT COLLATE "C" NOT NULL,
    "lastAt" BIGINT NOT NULL,

    CONSTRAINT "AskedInput_pkey" PRIMARY KEY ("server", "tool", "kind")
);
