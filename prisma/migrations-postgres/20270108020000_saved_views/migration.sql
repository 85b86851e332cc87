-- CreateTable
CREATE TABLE "SavedView" (
    "id" TEXT COLLATE "C" NOT NULL,
    "name" TEXT COLLATE "C" NOT NULL,
    "nameKey" TEXT COLLATE "C" NOT NULL,
    "query" TEXT COLLATE "C" NOT NULL,
    "ownerId" TEXT COLLATE "C" NOT NULL,
    "ownerName" TEXT COLLATE "C" NOT NULL,
    "createdAt" BIGINT NOT NULL,
    "updatedAt" BIGINT NOT NULL,
    "updatedBy" TEXT COLLATE "C" NOT NULL,

    CONSTRAINT "SavedView_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE UNIQUE INDEX "SavedView_nameKey_key" ON "SavedView"("nameKey");
