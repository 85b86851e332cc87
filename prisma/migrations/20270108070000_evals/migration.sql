-- CreateTable
CREATE TABLE "Eval" (
    "id" TEXT NOT NULL PRIMARY KEY,
    "suite" TEXT NOT NULL,
    "question" TEXT NOT NULL,
    "settings" TEXT NOT NULL,
    "originRun" TEXT,
    "originStep" INTEGER,
    "dismissed" BOOLEAN NOT NULL DEFAULT false,
    "createdAt" BIGINT NOT NULL,
    "updatedAt" BIGINT NOT NULL,
    "revision" INTEGER NOT NULL DEFAULT 1,
    "changedBy" TEXT
);

-- CreateTable
CREATE TABLE "EvalRun" (
    "seq" INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    "id" TEXT NOT NULL,
    "suite" TEXT NOT NULL,
    "provider" TEXT NOT NULL,
    "model" TEXT NOT NULL,
    "offering" TEXT NOT NULL,
    "edited" TEXT,
    "status" TEXT NOT NULL,
    "rounds" INTEGER NOT NULL,
    "startedAt" BIGINT NOT NULL,
    "finishedAt" BIGINT,
    "passed" INTEGER NOT NULL DEFAULT 0,
    "done" INTEGER NOT NULL DEFAULT 0,
    "total" INTEGER NOT NULL,
    "inputTokens" INTEGER NOT NULL DEFAULT 0,
    "outputTokens" INTEGER NOT NULL DEFAULT 0,
    "cost" REAL,
    "error" TEXT,
    "owner" TEXT,
    "items" TEXT,
    "attempts" TEXT NOT NULL
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

-- DropTable
DROP TABLE "ModelCheck";
