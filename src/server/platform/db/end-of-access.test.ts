import { expect, it } from "vitest";
import Sqlite from "../../../../scripts/sqlite.mjs";
import { MIGRATIONS } from "./migrate.test-support";
import { readMigrations } from "./migration-files";

const NAME = "20261221000000_end_of_access";

it("an upgrade ends the tokens and links of users who were switched off, removed or demoted before, and older reset links", () => {
  const migrations = readMigrations(MIGRATIONS);
  const at = migrations.findIndex(({ name }) => name === NAME);
  const raw = new Sqlite(":memory:");
  for (const { sql } of migrations.slice(0, at)) raw.exec(sql);
  const addUser = raw.prepare(
    `INSERT INTO "User" ("id", "name", "email", "emailVerified", "role", "disabledAt", "createdAt", "updatedAt")
     VALUES (?, ?, ?, 0, ?, ?, 1, 1)`,
  );
  const users: [string, string, number | null][] = [
    ["user_ada", "admin", null],
    ["user_off", "admin", 5],
    ["user_demoted", "editor", null],
  ];
  for (const [id, role, disabledAt] of users) addUser.run(id, id, id, role, disabledAt);
  const addToken = raw.prepare(
    `INSERT INTO "ApiToken" ("id", "ownerId", "name", "hash", "start", "scopes", "createdAt") VALUES (?, ?, 'ci', ?, 's', '[]', 1)`,
  );
  for (const owner of ["user_ada", "user_off"]) addToken.run(`token of ${owner}`, owner, `hash of ${owner}`);
  const addLink = raw.prepare(
    `INSERT INTO "AccountLink" ("tokenHash", "kind", "userId", "creatorId", "creatorName", "createdAt", "expiresAt")
     VALUES (?, ?, ?, ?, '', ?, 9)`,
  );
  const links: [string, string, string | null, string, number][] = [
    ["kept invitation", "invitation", null, "user_ada", 1],
    ["kept of automation", "invitation", null, "automation", 1],
    ["by the switched off", "invitation", null, "user_off", 1],
    ["by the demoted", "invitation", null, "user_demoted", 1],
    ["by the removed", "invitation", null, "user_gone", 1],
    ["for the switched off", "reset", "user_off", "user_ada", 1],
    ["older reset", "reset", "user_demoted", "user_ada", 1],
    ["newest reset", "reset", "user_demoted", "user_ada", 3],
    ["middle reset", "reset", "user_demoted", "user_ada", 2],
  ];
  for (const link of links) addLink.run(...link);
  raw.exec(migrations[at]?.sql ?? "");
  const left = raw.prepare(`SELECT "tokenHash" FROM "AccountLink" ORDER BY 1`).pluck().all();
  expect(left).toEqual(["kept invitation", "kept of automation", "newest reset"]);
  const valid = raw.prepare(`SELECT "ownerId" FROM "ApiToken" WHERE "revokedAt" IS NULL`).pluck().all();
  expect(valid).toEqual(["user_ada"]);
  expect(raw.prepare(`SELECT "revokedAt" FROM "ApiToken" WHERE "ownerId" = 'user_off'`).pluck().get()).toBeGreaterThan(
    1e12,
  );
  raw.close();
});
