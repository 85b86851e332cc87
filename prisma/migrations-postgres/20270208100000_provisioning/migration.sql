-- CreateTable
CREATE TABLE "ScimUser" (
    "userId" TEXT COLLATE "C" NOT NULL,
    "nameKey" TEXT COLLATE "C" NOT NULL,
    "externalId" TEXT COLLATE "C",
    "attributes" TEXT COLLATE "C" NOT NULL,
    "createdAt" BIGINT NOT NULL,
    "updatedAt" BIGINT NOT NULL,

    CONSTRAINT "ScimUser_pkey" PRIMARY KEY ("userId")
);

-- CreateTable
CREATE TABLE "ScimGroup" (
    "id" TEXT COLLATE "C" NOT NULL,
    "displayName" TEXT COLLATE "C" NOT NULL,
    "nameKey" TEXT COLLATE "C" NOT NULL,
    "externalId" TEXT COLLATE "C",
    "createdAt" BIGINT NOT NULL,
    "updatedAt" BIGINT NOT NULL,

    CONSTRAINT "ScimGroup_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "ScimMember" (
    "groupId" TEXT COLLATE "C" NOT NULL,
    "userId" TEXT COLLATE "C" NOT NULL,

    CONSTRAINT "ScimMember_pkey" PRIMARY KEY ("groupId","userId")
);

-- CreateIndex
CREATE UNIQUE INDEX "ScimUser_nameKey_key" ON "ScimUser"("nameKey");

-- CreateIndex
CREATE INDEX "ScimUser_externalId_idx" ON "ScimUser"("externalId");

-- CreateIndex
CREATE UNIQUE INDEX "ScimGroup_nameKey_key" ON "ScimGroup"("nameKey");

-- CreateIndex
CREATE INDEX "ScimMember_userId_idx" ON "ScimMember"("userId");

-- AddForeignKey
ALTER TABLE "ScimUser" ADD CONSTRAINT "ScimUser_userId_fkey" FOREIGN KEY ("userId") REFERENCES "User"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "ScimMember" ADD CONSTRAINT "ScimMember_groupId_fkey" FOREIGN KEY ("groupId") REFERENCES "ScimGroup"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "ScimMember" ADD CONSTRAINT "ScimMember_userId_fkey" FOREIGN KEY ("userId") REFERENCES "User"("id") ON DELETE CASCADE ON UPDATE CASCADE;
