-- CreateTable
CREATE TABLE "ExecutionDigest" (
    "seq" INTEGER NOT NULL PRIMARY KEY,
    "kind" TEXT NOT NULL,
    "at" BIGINT NOT NULL,
    "actor" TEXT,
    "toSeq" INTEGER NOT NULL,
    "open" TEXT NOT NULL,
    "marks" BLOB NOT NULL,
    "hash" TEXT NOT NULL
);
