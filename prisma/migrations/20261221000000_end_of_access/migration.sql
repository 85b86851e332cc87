-- Tokens of people who are switched off would work again once they are switched on.
UPDATE "ApiToken" SET "revokedAt" = CAST(strftime('%s', 'now') AS INTEGER) * 1000
WHERE "revokedAt" IS NULL AND "ownerId" IN (SELECT "id" FROM "User" WHERE "disabledAt" IS NOT NULL);

-- Links of people who are no longer admins, and those that an earlier admin created for others.
DELETE FROM "AccountLink" WHERE "creatorId" IN (SELECT "id" FROM "User" WHERE "role" <> 'admin' OR "disabledAt" IS NOT NULL);
DELETE FROM "AccountLink" WHERE "creatorId" LIKE 'user\_%' ESCAPE '\' AND "creatorId" NOT IN (SELECT "id" FROM "User");
DELETE FROM "AccountLink" WHERE "userId" IN (SELECT "id" FROM "User" WHERE "disabledAt" IS NOT NULL);

-- Of the reset links of a person, the newest stays.
DELETE FROM "AccountLink" WHERE "kind" = 'reset' AND EXISTS (
  SELECT 1 FROM "AccountLink" AS "newer" WHERE "newer"."kind" = 'reset' AND "newer"."userId" = "AccountLink"."userId"
  AND ("newer"."createdAt", "newer"."tokenHash") > ("AccountLink"."createdAt", "AccountLink"."tokenHash")
);
