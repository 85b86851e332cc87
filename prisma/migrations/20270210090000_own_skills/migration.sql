-- CreateTable
CREATE TABLE "OwnSkill" (
    "name" TEXT NOT NULL PRIMARY KEY,
    "revision" INTEGER NOT NULL,
    "createdAt" BIGINT NOT NULL,
    "updatedAt" BIGINT NOT NULL,
    "changedBy" TEXT
);

-- CreateTable
CREATE TABLE "SkillVersion" (
    "skill" TEXT NOT NULL,
    "number" INTEGER NOT NULL,
    "description" TEXT NOT NULL,
    "frontmatter" TEXT NOT NULL,
    "digest" TEXT NOT NULL,
    "cause" TEXT NOT NULL,
    "at" BIGINT NOT NULL,
    "by" TEXT,

    PRIMARY KEY ("skill", "number"),
    CONSTRAINT "SkillVersion_skill_fkey" FOREIGN KEY ("skill") REFERENCES "OwnSkill" ("name") ON DELETE CASCADE ON UPDATE CASCADE
);

-- CreateTable
CREATE TABLE "SkillFile" (
    "skill" TEXT NOT NULL,
    "number" INTEGER NOT NULL,
    "path" TEXT NOT NULL,
    "digest" TEXT NOT NULL,
    "size" INTEGER NOT NULL,
    "isText" BOOLEAN NOT NULL,

    PRIMARY KEY ("skill", "number", "path"),
    CONSTRAINT "SkillFile_skill_number_fkey" FOREIGN KEY ("skill", "number") REFERENCES "SkillVersion" ("skill", "number") ON DELETE CASCADE ON UPDATE CASCADE
);

-- CreateTable
CREATE TABLE "SkillBlob" (
    "skill" TEXT NOT NULL,
    "digest" TEXT NOT NULL,
    "bytes" BLOB NOT NULL,

    PRIMARY KEY ("skill", "digest"),
    CONSTRAINT "SkillBlob_skill_fkey" FOREIGN KEY ("skill") REFERENCES "OwnSkill" ("name") ON DELETE CASCADE ON UPDATE CASCADE
);
