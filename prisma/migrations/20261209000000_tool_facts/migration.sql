-- CreateTable
CREATE TABLE "ToolOwner" (
    "toolName" TEXT NOT NULL PRIMARY KEY,
    "personId" TEXT NOT NULL,
    "personName" TEXT NOT NULL
);

-- CreateTable
CREATE TABLE "FavoriteTool" (
    "personId" TEXT NOT NULL,
    "toolName" TEXT NOT NULL,

    PRIMARY KEY ("personId", "toolName")
);

-- CreateTable
CREATE TABLE "ToolDeprecation" (
    "toolName" TEXT NOT NULL PRIMARY KEY,
    "deprecated" TEXT NOT NULL
);

-- CreateIndex
CREATE INDEX "FavoriteTool_toolName_idx" ON "FavoriteTool"("toolName");
