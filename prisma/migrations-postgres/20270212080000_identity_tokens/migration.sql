-- CreateTable
CREATE TABLE "IdentityToken" (
    "userId" TEXT COLLATE "C" NOT NULL,
    "sealed" TEXT COLLATE "C" NOT NULL,
    "updatedAt" BIGINT NOT NULL,

    CONSTRAINT "IdentityToken_pkey" PRIMARY KEY ("userId")
);

-- AddForeignKey
ALTER TABLE "IdentityToken" ADD CONSTRAINT "IdentityToken_userId_fkey" FOREIGN KEY ("userId") REFERENCES "User"("id") ON DELETE CASCADE ON UPDATE CASCADE;
