-- CreateTable
CREATE TABLE "SkillGate" (
    "serverName" TEXT NOT NULL PRIMARY KEY,
    "since" BIGINT NOT NULL
);

-- CreateTable
CREATE TABLE "SkillPin" (
    "serverName" TEXT NOT NULL,
    "uri" TEXT NOT NULL,
    "approvedHash" TEXT,
    "approved" TEXT,
    "heldHash" TEXT,
    "held" TEXT,
    "heldAt" BIGINT,
    "status" TEXT NOT NULL,
    "deciderId" TEXT,
    "deciderName" TEXT,
    "decidedAt" BIGINT,

    PRIMARY KEY ("serverName", "uri"),
    CONSTRAINT "SkillPin_serverName_fkey" FOREIGN KEY ("serverName") REFERENCES "SkillGate" ("serverName") ON DELETE CASCADE ON UPDATE CASCADE
);

-- CreateTable
CREATE TABLE "SkillPinFile" (
    "serverName" TEXT NOT NULL,
    "digest" TEXT NOT NULL,
    "bytes" BLOB NOT NULL,

    PRIMARY KEY ("serverName", "digest"),
    CONSTRAINT "SkillPinFile_serverName_fkey" FOREIGN KEY ("serverName") REFERENCES "SkillGate" ("serverName") ON DELETE CASCADE ON UPDATE CASCADE
);
