import { describe, expect, it, onTestFinished } from "vitest";
import type { Database } from "../../platform/db/database";
import { createScratchDatabase } from "../../platform/db/database.test-support";
import { createScratchPostgres, HAS_POSTGRES } from "../../platform/db/postgres/scratch-postgres.test-support";
import { createAccountStore } from "../accounts/db/account-store";
import { createServiceAccountStore } from "../accounts/db/service-account-store";
import { createProvisioningStore } from "./db/provisioning-store";

const NOW = Date.UTC(2027, 1, 8, 10);
const ALL = { skip: 0, take: 10 };
const user = (userName: string, more: object = {}) => ({ userName, active: true, emails: [], ...more });

async function expectProvisioning(db: Database): Promise<void> {
  const at = new Date(NOW);
  for (const id of ["a", "b", "c"]) {
    const person = { id, name: id, email: `${id}@example.org`, role: "viewer", createdAt: at, updatedAt: at };
    await db.prisma.user.create({ data: person });
  }
  const store = createProvisioningStore({ db });
  expect(await store.createUser("a", user("A@x", { externalId: "1" }), NOW)).toBe(true);
  expect(await store.createUser("b", user("a@X"), NOW)).toBe(false);
  expect(await store.createUser("b", user("b"), NOW + 1)).toBe(true);
  expect(await store.updateUser("b", user("a@x"), NOW)).toBe(false);
  expect(await store.setAddress("b", "a@example.org")).toBe(false);
  expect((await store.listUsers({ nameKey: "a@x", externalId: "1", email: "a@example.org" }, ALL)).total).toBe(1);
  const ids = (await store.listUsers({}, ALL)).users.map(({ person }) => person.id);
  expect(ids).toEqual(["a", "b"]);
  expect(await store.findKnown(["a", "c", "d"])).toEqual(new Set(["a"]));

  const group = { displayName: "Ops", externalId: null, at: NOW };
  expect(await store.createGroup({ ...group, id: "g" })).toBe(true);
  expect(await store.createGroup({ ...group, id: "h", displayName: "OPS" })).toBe(false);
  await store.changeMembers("g", { added: ["a", "b", "c"], removed: [] });
  await store.changeMembers("g", { added: ["a"], removed: ["b", "z"] });
  expect((await store.findGroup("g"))?.members).toEqual([{ id: "a", name: "a" }]);
  expect((await store.listGroups({ memberId: "a" }, { ...ALL, members: true })).total).toBe(1);
  expect(await store.listMemberships(["a", "b"])).toEqual(new Map([["a", ["Ops"]]]));
  expect(await store.count()).toEqual({ users: 2, groups: [{ name: "Ops", members: 1 }] });

  await createAccountStore({ db }).deletePerson("a");
  expect(await store.findUser("a")).toBeNull();
  expect((await store.findGroup("g"))?.members).toEqual([]);
  expect([await store.deleteGroup("g"), await store.deleteGroup("g")]).toEqual([true, false]);
}

/** A service account is no admin who would let the last user go. */
async function expectServiceAccounts(db: Database): Promise<void> {
  const accounts = createAccountStore({ db });
  const store = createServiceAccountStore({ db });
  const at = new Date(NOW);
  const ada = { id: "ada", name: "Ada", email: "ada@example.org", role: "admin", createdAt: at, updatedAt: at };
  await db.prisma.user.create({ data: ada });
  const account = { id: "service_1", name: "CI", about: "", role: "admin" as const, ownerId: "ada", createdAt: NOW };
  await store.create(account);
  expect(await store.find("service_1")).toMatchObject({ name: "CI", role: "admin", createdAt: NOW, tokens: 0 });
  expect((await accounts.people()).map(({ id }) => id)).toEqual(["ada"]);
  expect(await accounts.countAdmins()).toBe(1);
  for (const change of [{ role: "viewer" as const }, { disabledAt: NOW }]) {
    expect(await accounts.updatePerson("ada", change)).toBe(false);
    expect(await accounts.updatePerson("service_1", change)).toBe(true);
  }
  expect([await accounts.deletePerson("ada"), await accounts.deletePerson("service_1")]).toEqual([false, true]);
  expect(await store.list()).toEqual([]);
}

describe.each([
  [
    "provisioned users and groups have unique names, members who are provisioned, and end with the account",
    expectProvisioning,
  ],
  ["service accounts are users beside those who sign in", expectServiceAccounts],
])("%s", (_, expectStore) => {
  it("on SQLite", async () => {
    const scratch = await createScratchDatabase();
    onTestFinished(scratch.remove);
    await expectStore(scratch.db);
  });

  it.skipIf(!HAS_POSTGRES)("on PostgreSQL", { timeout: 120_000 }, async () => {
    const scratch = await createScratchPostgres();
    onTestFinished(scratch.remove);
    await expectStore(scratch.db);
  });
});
