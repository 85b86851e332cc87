-- CreateTable: breaking changes of tools that are in use without a review.
CREATE TABLE "AppliedChange" (
    "serverName" TEXT COLLATE "C" NOT NULL,
    "toolName" TEXT COLLATE "C" NOT NULL,
    "hash" TEXT COLLATE "C" NOT NULL,
    "before" TEXT COLLATE "C" NOT NULL,
    "at" BIGINT NOT NULL,
    CONSTRAINT "AppliedChange_pkey" PRIMARY KEY ("serverName", "toolName")
);
