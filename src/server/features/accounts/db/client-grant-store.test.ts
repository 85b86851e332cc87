import { expect, it, onTestFinished } from "vitest";
import { createScratchDatabase } from "../../../platform/db/database.test-support";
import { createClientGrantStore } from "./client-grant-store";

const DAY = 24 * 60 * 60_000;
const NOW = 1_800_000_000_000;

async function open() {
  const scratch = await createScratchDatabase();
  onTestFinished(() => scratch.remove());
  const { prisma } = scratch.db;
  const at = (days: number): Date => new Date(NOW - days * DAY);
  await prisma.user.create({
    data: { id: "ada", name: "Ada", email: "ada@example.org", createdAt: at(99), updatedAt: at(99) },
  });
  const client = (id: string, days: number) =>
    prisma.oauthClient.create({
      data: { id: `row_${id}`, clientId: id, name: id, redirectUris: '["http://localhost:1/cb"]', createdAt: at(days) },
    });
  const grant = { userId: "ada", scopes: '["mcp:run"]', resources: '["http://localhost:3000/mcp"]' };
  const consent = (clientId: string, days: number) =>
    prisma.oauthConsent.create({
      data: { ...grant, id: `consent_${clientId}`, clientId, createdAt: at(days), updatedAt: at(days) },
    });
  const token = (clientId: string, expiresInDays: number, revokedDays: number | null = null) =>
    prisma.oauthRefreshToken.create({
      data: {
        ...grant,
        id: `token_${clientId}_${expiresInDays}`,
        clientId,
        token: `hash_${clientId}_${expiresInDays}`,
        createdAt: at(1),
        expiresAt: at(-expiresInDays),
        revoked: revokedDays === null ? null : at(revokedDays),
      },
    });
  const names = async () => (await prisma.oauthClient.findMany({ orderBy: { id: "asc" } })).map(({ name }) => name);
  return { prisma, store: createClientGrantStore({ db: scratch.db }), client, consent, token, names, grant, at };
}

it("programs that nobody allowed leave after a day, unused ones after 40, and used ones stay", async () => {
  const { store, client, consent, token, names, prisma } = await open();
  await client("a-new", 0.5);
  await client("b-never-allowed", 2);
  await client("c-allowed", 30);
  await consent("c-allowed", 30);
  await client("d-unused", 50);
  await consent("d-unused", 50);
  await client("e-used", 50);
  await consent("e-used", 50);
  await token("e-used", 20);
  await token("e-used", 21, 8);
  await token("d-unused", -1);
  await store.deleteUnused(NOW);
  expect(await names()).toEqual(["a-new", "c-allowed", "e-used"]);
  expect(await prisma.oauthRefreshToken.count()).toBe(1);
});

it("a disconnected program keeps nothing of that user", async () => {
  const { store, client, consent, token, prisma, grant, at } = await open();
  for (const id of ["one", "two"]) {
    await client(id, 3);
    await consent(id, 3);
    await token(id, 20);
    await prisma.oauthAccessToken.create({
      data: { ...grant, id: `access_${id}`, clientId: id, token: `hash_${id}`, createdAt: at(0), expiresAt: at(-1) },
    });
  }
  expect(await store.list("ada")).toMatchObject([{ id: "one" }, { id: "two", hosts: ["localhost"], scopes: ["run"] }]);
  expect(await store.revoke("ada", "one")).toBe(true);
  expect(await store.revoke("ada", "one")).toBe(false);
  expect(await store.findAccessToken("hash_one")).toBeNull();
  expect(await store.findAccessToken("hash_two")).toMatchObject({ clientId: "two", user: { id: "ada" } });
  expect((await store.list("ada")).map(({ id }) => id)).toEqual(["two"]);
  await prisma.oauthAccessToken.updateMany({ data: { confirmation: '{"jkt":"x"}' } });
  expect(await store.findAccessToken("hash_two")).toBeNull();
});
