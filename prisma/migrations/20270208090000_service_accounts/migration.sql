-- CreateTable
CREATE TABLE "ServiceAccount" (
    "userId" TEXT NOT NULL PRIMARY KEY,
    "about" TEXT NOT NULL,
    "ownerId" TEXT,
    CONSTRAINT "ServiceAccount_userId_fkey" FOREIGN KEY ("userId") REFERENCES "User" ("id") ON DELETE CASCADE ON UPDATE CASCADE
);
