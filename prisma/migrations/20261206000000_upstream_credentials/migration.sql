-- CreateTable
CREATE TABLE "UpstreamCredential" (
    "serverName" TEXT NOT NULL,
    "personId" TEXT NOT NULL,
    "userId" TEXT,
    "kind" TEXT NOT NULL,
    "sealed" TEXT NOT NULL,
    "status" TEXT NOT NULL,
    "updatedAt" BIGINT NOT NULL,

    PRIMARY KEY ("serverName", "personId"),
    CONSTRAINT "UpstreamCredential_userId_fkey" FOREIGN KEY ("userId") REFERENCES "User" ("id") ON DELETE CASCADE ON UPDATE CASCADE
);

-- CreateIndex
CREATE INDEX "UpstreamCredential_personId_idx" ON "UpstreamCredential"("personId");

-- AlterTable
ALTER TABLE "Execution" ADD COLUMN "credential" TEXT;
