-- CreateTable
CREATE TABLE "SignInFailure" (
    "account" TEXT COLLATE "C" NOT NULL,
    "source" TEXT COLLATE "C" NOT NULL,
    "count" INTEGER NOT NULL,
    "until" BIGINT NOT NULL,
    "at" BIGINT NOT NULL,

    CONSTRAINT "SignInFailure_pkey" PRIMARY KEY ("account", "source")
);

-- CreateIndex
CREATE INDEX "SignInFailure_at_idx" ON "SignInFailure"("at");
