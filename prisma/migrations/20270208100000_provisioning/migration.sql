-- CreateTable
CREATE TABLE "ScimUser" (
    "userId" TEXT NOT NULL PRIMARY KEY,
    "nameKey" TEXT NOT NULL,
    "externalId" TEXT,
    "attributes" TEXT NOT NULL,
    "createdAt" BIGINT NOT NULL,
    "updatedAt" BIGINT NOT NULL,
    CONSTRAINT "ScimUser_userId_fkey" FOREIGN KEY ("userId") REFERENCES "User" ("id") ON DELETE CASCADE ON UPDATE CASCADE
);

-- CreateTable
CREATE TABLE "ScimGroup" (
    "id" TEXT NOT NULL PRIMARY KEY,
    "displayName" TEXT NOT NULL,
    "nameKey" TEXT NOT NULL,
    "externalId" TEXT,
    "createdAt" BIGINT NOT NULL,
    "updatedAt" BIGINT NOT NULL
);

-- CreateTable
CREATE TABLE "ScimMember" (
    "groupId" TEXT NOT NULL,
    "userId" TEXT NOT NULL,

    PRIMARY KEY ("groupId", "userId"),
    CONSTRAINT "ScimMember_groupId_fkey" FOREIGN KEY ("groupId") REFERENCES "ScimGroup" ("id") ON DELETE CASCADE ON UPDATE CASCADE,
    CONSTRAINT "ScimMember_userId_fkey" FOREIGN KEY ("userId") REFERENCES "User" ("id") ON DELETE CASCADE ON UPDATE CASCADE
);

-- CreateIndex
CREATE UNIQUE INDEX "ScimUser_nameKey_key" ON "ScimUser"("nameKey");

-- CreateIndex
CREATE INDEX "ScimUser_externalId_idx" ON "ScimUser"("externalId");

-- CreateIndex
CREATE UNIQUE INDEX "ScimGroup_nameKey_key" ON "ScimGroup"("nameKey");

-- CreateIndex
CREATE INDEX "ScimMember_userId_idx" ON "ScimMember"("userId");
