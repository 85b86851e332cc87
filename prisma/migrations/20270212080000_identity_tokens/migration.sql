-- CreateTable
CREATE TABLE "IdentityToken" (
    "userId" TEXT NOT NULL PRIMARY KEY,
    "sealed" TEXT NOT NULL,
    "updatedAt" BIGINT NOT NULL,
    CONSTRAINT "IdentityToken_userId_fkey" FOREIGN KEY ("userId") REFERENCES "User" ("id") ON DELETE CASCADE ON UPDATE CASCADE
);
