-- CreateTable
CREATE TABLE "SignInFailure" (
    "account" TEXT NOT NULL,
    "source" TEXT NOT NULL,
    "count" INTEGER NOT NULL,
    "until" BIGINT NOT NULL,
    "at" BIGINT NOT NULL,

    PRIMARY KEY ("account", "source")
);

-- CreateIndex
CREATE INDEX "SignInFailure_at_idx" ON "SignInFailure"("at");
