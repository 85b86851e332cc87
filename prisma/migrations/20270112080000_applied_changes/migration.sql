-- CreateTable: breaking changes of tools that are in use without a review.
CREATE TABLE "AppliedChange" (
    "serverName" TEXT NOT NULL,
    "toolName" TEXT NOT NULL,
    "hash" TEXT NOT NULL,
    "before" TEXT NOT NULL,
    "at" BIGINT NOT NULL,

    PRIMARY KEY ("serverName", "toolName")
);
