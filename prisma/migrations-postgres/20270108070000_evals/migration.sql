-- CreateTable
CREATE TABLE "Eval" (
    "id" TEXT COLLATE "C" NOT NULL,
    "suite" TEXT COLLATE "C" NOT NULL,
    "question" TEXT COLLATE "C" NOT NULL,
    "settings" TEXT COLLATE "C" NOT NULL,
    "originRun" TEXT COLLATE "C",
    "originStep" INTEGER,
    "dismissed" BOOLEAN NOT NULL DEFAULT false,
    "createdAt" BIGINT NOT NULL,
    "updatedAt" BIGINT NOT NULL,
    "revision" INTEGER NOT NULL DEFAULT 1,
    "changedBy" TEXT COLLATE "C",

    CONSTRAINT "Eval_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "EvalRun" (
    "seq" SERIAL NOT NULL,
    "id" TEXT COLLATE "C" NOT NULL,
    "suite" TEXT COLLATE "C" NOT NULL,
    "provider" TEXT COLLATE "C" NOT NULL,
    "model" TEXT COLLATE "C" NOT NULL,
    "offering" TEXT COLLATE "C" NOT NULL,
    "edited" TEXT COLLATE "C",
    "status" TEXT COLLATE "C" NOT NULL,
    "rounds" INTEGER NOT NULL,
    "startedAt" BIGINT NOT NULL,
    "finishedAt" BIGINT,
    "passed" INTEGER NOT NULL DEFAULT 0,
    "done" INTEGER NOT NULL DEFAULT 0,
    "total" INTEGER NOT NULL,
    "inputTokens" INTEGER NOT NULL DEFAULT 0,
    "outputTokens" INTEGER NOT NULL DEFAULT 0,
    "cost" DOUBLE PRECISION,
    "error" TEXT COLLATE "C",
    "owner" TEXT COLLATE "C",
    "items" TEXT COLLATE "C",
    "attempts" TEXT COLLATE "C" NOT NULL,

    CONSTRAINT "EvalRun_pkey" PRIMARY KEY ("seq")
);

-- CreateIndex
CREATE INDEX "Eval_suite_idx" ON "Eval"("suite");

-- CreateIndex
CREATE UNIQUE INDEX "Eval_originRun_originStep_key" ON "Eval"("originRun", "originStep");

-- CreateIndex
CREATE UNIQUE INDEX "EvalRun_id_key" ON "EvalRun"("id");

-- CreateIndex
CREATE INDEX "EvalRun_suite_provider_model_idx" ON "EvalRun"("suite", "provider", "model");

-- Model checks are runs of the built-in suite. A key inside a text has a backslash before its quotes, so only keys are renamed.
INSERT INTO "EvalRun" (seq, id, provider, model, status, rounds, "startedAt", "finishedAt", passed, done, total, error, owner, suite, offering, attempts)
SELECT seq, id, provider, model, status, rounds, "startedAt", "finishedAt", passed, done, total, error, owner, 'tool-use', 'direct', replace(attempts, '"scenario":', '"item":')
FROM "ModelCheck";

SELECT setval(pg_get_serial_sequence('"EvalRun"', 'seq'), max(seq)) FROM "EvalRun" HAVING max(seq) IS NOT NULL;

-- DropTable
DROP TABLE "ModelCheck";
