-- CreateTable
CREATE TABLE "SkillGate" (
    "serverName" TEXT COLLATE "C" NOT NULL,
    "since" BIGINT NOT NULL,

    CONSTRAINT "SkillGate_pkey" PRIMARY KEY ("serverName")
);

-- CreateTable
CREATE TABLE "SkillPin" (
    "serverName" TEXT COLLATE "C" NOT NULL,
    "uri" TEXT COLLATE "C" NOT NULL,
    "approvedHash" TEXT COLLATE "C",
    "approved" TEXT COLLATE "C",
    "heldHash" TEXT COLLATE "C",
    "held" TEXT COLLATE "C",
    "heldAt" BIGINT,
    "status" TEXT COLLATE "C" NOT NULL,
    "deciderId" TEXT COLLATE "C",
    "deciderName" TEXT COLLATE "C",
    "decidedAt" BIGINT,

    CONSTRAINT "SkillPin_pkey" PRIMARY KEY ("serverName","uri")
);

-- CreateTable
CREATE TABLE "SkillPinFile" (
    "serverName" TEXT COLLATE "C" NOT NULL,
    "digest" TEXT COLLATE "C" NOT NULL,
    "bytes" BYTEA NOT NULL,

    CONSTRAINT "SkillPinFile_pkey" PRIMARY KEY ("serverName","digest")
);

-- AddForeignKey
ALTER TABLE "SkillPin" ADD CONSTRAINT "SkillPin_serverName_fkey" FOREIGN KEY ("serverName") REFERENCES "SkillGate"("serverName") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "SkillPinFile" ADD CONSTRAINT "SkillPinFile_serverName_fkey" FOREIGN KEY ("serverName") REFERENCES "SkillGate"("serverName") ON DELETE CASCADE ON UPDATE CASCADE;
