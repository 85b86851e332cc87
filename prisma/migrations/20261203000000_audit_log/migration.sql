-- CreateTable
CREATE TABLE "AuditEntry" (
    "seq" INTEGER NOT NULL PRIMARY KEY,
    "at" BIGINT NOT NULL,
    "actorId" TEXT NOT NULL,
    "actorName" TEXT NOT NULL,
    "token" TEXT,
    "address" TEXT,
    "door" TEXT NOT NULL,
    "action" TEXT NOT NULL,
    "targetKind" TEXT,
    "targetName" TEXT,
    "outcome" TEXT NOT NULL,
    "error" TEXT,
    "before" TEXT,
    "after" TEXT,
    "times" INTEGER NOT NULL,
    "hash" TEXT NOT NULL
);

-- CreateIndex
CREATE INDEX "AuditEntry_actorId_actorName_idx" ON "AuditEntry"("actorId", "actorName");

-- CreateIndex
CREATE INDEX "AuditEntry_action_idx" ON "AuditEntry"("action");

-- CreateIndex
CREATE INDEX "AuditEntry_targetKind_idx" ON "AuditEntry"("targetKind");

-- Entries are never changed or removed. Prisma's language has no word for triggers.
CREATE TRIGGER "AuditEntry_no_update" BEFORE UPDATE ON "AuditEntry" BEGIN
    SELECT RAISE(ABORT, 'entries of the audit log are never changed');
END;
CREATE TRIGGER "AuditEntry_no_delete" BEFORE DELETE ON "AuditEntry" BEGIN
    SELECT RAISE(ABORT, 'entries of the audit log are never removed');
END;
