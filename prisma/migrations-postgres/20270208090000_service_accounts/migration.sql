-- CreateTable
CREATE TABLE "ServiceAccount" (
    "userId" TEXT COLLATE "C" NOT NULL,
    "about" TEXT COLLATE "C" NOT NULL,
    "ownerId" TEXT COLLATE "C",

    CONSTRAINT "ServiceAccount_pkey" PRIMARY KEY ("userId")
);

-- AddForeignKey
ALTER TABLE "ServiceAccount" ADD CONSTRAINT "ServiceAccount_userId_fkey" FOREIGN KEY ("userId") REFERENCES "User"("id") ON DELETE CASCADE ON UPDATE CASCADE;
