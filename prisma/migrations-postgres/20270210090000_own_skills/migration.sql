-- CreateTable
CREATE TABLE "OwnSkill" (
    "name" TEXT COLLATE "C" NOT NULL,
    "revision" INTEGER NOT NULL,
    "createdAt" BIGINT NOT NULL,
    "updatedAt" BIGINT NOT NULL,
    "changedBy" TEXT COLLATE "C",

    CONSTRAINT "OwnSkill_pkey" PRIMARY KEY ("name")
);

-- CreateTable
CREATE TABLE "SkillVersion" (
    "skill" TEXT COLLATE "C" NOT NULL,
    "number" INTEGER NOT NULL,
    "description" TEXT COLLATE "C" NOT NULL,
    "frontmatter" TEXT COLLATE "C" NOT NULL,
    "digest" TEXT COLLATE "C" NOT NULL,
    "cause" TEXT COLLATE "C" NOT NULL,
    "at" BIGINT NOT NULL,
    "by" TEXT COLLATE "C",

    CONSTRAINT "SkillVersion_pkey" PRIMARY KEY ("skill","number")
);

-- CreateTable
CREATE TABLE "SkillFile" (
    "skill" TEXT COLLATE "C" NOT NULL,
    "number" INTEGER NOT NULL,
    "path" TEXT COLLATE "C" NOT NULL,
    "digest" TEXT COLLATE "C" NOT NULL,
    "size" INTEGER NOT NULL,
    "isText" BOOLEAN NOT NULL,

    CONSTRAINT "SkillFile_pkey" PRIMARY KEY ("skill","number","path")
);

-- CreateTable
CREATE TABLE "SkillBlob" (
    "skill" TEXT COLLATE "C" NOT NULL,
    "digest" TEXT COLLATE "C" NOT NULL,
    "bytes" BYTEA NOT NULL,

    CONSTRAINT "SkillBlob_pkey" PRIMARY KEY ("skill","digest")
);

-- AddForeignKey
ALTER TABLE "SkillVersion" ADD CONSTRAINT "SkillVersion_skill_fkey" FOREIGN KEY ("skill") REFERENCES "OwnSkill"("name") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "SkillFile" ADD CONSTRAINT "SkillFile_skill_number_fkey" FOREIGN KEY ("skill", "number") REFERENCES "SkillVersion"("skill", "number") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "SkillBlob" ADD CONSTRAINT "SkillBlob_skill_fkey" FOREIGN KEY ("skill") REFERENCES "OwnSkill"("name") ON DELETE CASCADE ON UPDATE CASCADE;
