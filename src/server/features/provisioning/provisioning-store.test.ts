import { describe, expect, it, onTestFinished } from "vitest";
import type { Database } from "../../platform/db/database";
import { createScratchDatabase } from "../../platform/db/database.test-support";
import { createScratchPostgres, HAS_POSTGRES } from "../../platform/db/postgres/scratch-postgres.test-support";
import { createAccountStore } from "../accounts/db/account-store";
import { createServiceAccountStore } from "../accounts/db/service-account-store";
import { createSettingStore } from "../accounts/db/setting-store";
import { createProvisioningStore } from "./db/provisioning-store";
import { createGroupLimits } from "./group-limits";
import { createProvisioningSettings } from "./provisioning-settings";

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
  const ids = (await store.listUsers({}, ALL)).users.map(({ user }) => user.id);
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

  await createAccountStore({ db }).deleteUser("a");
  expect(await store.findUser("a")).toBeNull();
  expect((await store.findGroup("g"))?.members).toEqual([]);
  expect([await store.deleteGroup("g"), await store.deleteGroup("g")]).toEqual([true, false]);
}

/** What the groups limit, as it is read for each request: from the database alone, so also after a restart. */
async function expectGroupLimits(db: Database): Promise<void> {
  const store = createProvisioningStore({ db });
  const settings = createSettingStore({ db });
  const open = () =>
    createProvisioningSettings({
      accounts: true,
      settings,
      store,
      createSecretToken: (prefix) => prefix,
      hashToken: (token) => token,
      rolesFromSignOn: false,
      now: () => NOW,
    });
  const at = new Date(NOW);
  for (const id of ["a", "b"]) {
    const person = { id, name: id, email: `${id}@example.org`, role: "operator", createdAt: at, updatedAt: at };
    await db.prisma.user.create({ data: person });
    await store.createUser(id, user(id), NOW);
  }
  await store.createGroup({ id: "g", displayName: "Ops", externalId: null, at: NOW });
  await store.changeMembers("g", { added: ["a"], removed: [] });
  const find = async () => {
    const findGroupToolsets = createGroupLimits({ settings, store });
    const [a, b, admin] = await Promise.all([
      findGroupToolsets({ id: "a", role: "operator" }),
      findGroupToolsets({ id: "b", role: "editor" }),
      findGroupToolsets({ id: "a", role: "admin" }),
    ]);
    return { a, b, admin };
  };
  expect(await find()).toEqual({ a: null, b: null, admin: null });
  const groups = [{ group: "Ops", role: null, toolsets: ["one", "two"] }];
  await open().saveRoles({ defaultRole: "viewer", groups }, 0);
  expect(await find()).toEqual({ a: ["one", "two"], b: null, admin: null });
  expect([await open().replaceToolset("one", "first"), await open().replaceToolset("one", "first")]).toEqual([
    true,
    false,
  ]);
  expect((await find()).a).toEqual(["first", "two"]);
  await open().copyToolsets("Ops", "Crew");
  await store.updateGroup({ id: "g", displayName: "Crew", externalId: null, at: NOW });
  expect((await find()).a, "a renamed group keeps its limit").toEqual(["first", "two"]);
  for (const name of ["first", "two"]) await open().replaceToolset(name, null);
  expect(await find(), "a group whose toolsets are gone still limits").toEqual({ a: [], b: null, admin: null });
  await settings.write("provisioning.roles", '{"roles":{"groups":"of a later version"}}');
  expect(await find(), "limits that cannot be read admit nothing").toEqual({ a: [], b: null, admin: null });
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
    expect(await accounts.updateUser("ada", change)).toBe(false);
    expect(await accounts.updateUser("service_1", change)).toBe(true);
  }
  expect([await accounts.deleteUser("ada"), await accounts.deleteUser("service_1")]).toEqual([false, true]);
  expect(await store.list()).toEqual([]);
}

describe.each([
  [
    "provisioned users and groups have unique names, members who are provisioned, and end with the account",
    expectProvisioning,
  ],
  [
    "the toolsets of groups limit their members, follow the names of toolsets, and never turn into no limit",
    expectGroupLimits,
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
