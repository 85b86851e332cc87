import { randomBytes } from "node:crypto";
import { describe, expect, it, onTestFinished } from "vitest";
import { createSecretBox } from "../../platform/auth/secret-box";
import type { Database } from "../../platform/db/database";
import { createScratchDatabase } from "../../platform/db/database.test-support";
import { createScratchPostgres, HAS_POSTGRES } from "../../platform/db/postgres/scratch-postgres.test-support";
import { createAccountStore } from "./db/account-store";
import { createIdentityTokenStore } from "./db/identity-token-store";

const openBox = () => createSecretBox({ secretKey: randomBytes(32).toString("hex"), keyFile: "" });

async function expectTokens(db: Database): Promise<void> {
  const at = new Date();
  for (const id of ["a", "b"]) {
    const user = { id, name: id, email: `${id}@example.org`, role: "viewer", createdAt: at, updatedAt: at };
    await db.prisma.user.create({ data: user });
  }
  const secretBox = await openBox();
  const store = createIdentityTokenStore({ db, secretBox, now: Date.now });
  const issued = { issuer: "https://id.example", subject: "1", idToken: "the-id-token", expiresAt: 5 };
  await store.write("a", { ...issued, refreshToken: null });
  await store.write("a", { ...issued, refreshToken: "the-refresh-token" });
  expect(await store.read("a")).toEqual({ ...issued, refreshToken: "the-refresh-token" });
  expect(await store.read("b")).toBeNull();
  const [row] = await db.prisma.identityToken.findMany();
  expect(row?.sealed).not.toMatch(/the-(id|refresh)-token/);

  // A row that is moved to another user does not open there.
  await db.prisma.identityToken.create({ data: { userId: "b", sealed: row?.sealed ?? "", updatedAt: 1n } });
  expect(await store.read("b")).toBeNull();
  expect(await createIdentityTokenStore({ db, secretBox: await openBox(), now: Date.now }).read("a")).toBeNull();
  await db.prisma.user.update({ where: { id: "a" }, data: { disabledAt: at } });
  expect(await store.read("a")).toBeNull();
  await createAccountStore({ db }).deleteUser("a");
  await store.delete("b");
  expect(await db.prisma.identityToken.count()).toBe(0);
}

describe("tokens of the identity provider", () => {
  it("are sealed for their user, unreadable for one who is switched off, and deleted with the account", async () => {
    const { db, remove } = await createScratchDatabase();
    onTestFinished(() => remove());
    await expectTokens(db);
  });

  it.skipIf(!HAS_POSTGRES)("the same on PostgreSQL", { timeout: 120_000 }, async () => {
    const scratch = await createScratchPostgres();
    onTestFinished(() => scratch.remove());
    await expectTokens(scratch.db);
  });
});
