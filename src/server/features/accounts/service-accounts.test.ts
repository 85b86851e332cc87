import { describe, expect, it } from "vitest";
import { isServiceAccount, LOCAL_OWNER } from "../../../lib/contract/actor";
import { hashSessionToken } from "../../platform/auth/session-token";
import { bearer, HERE, openAccounts, PASSWORD } from "./accounts.test-support";

const TOKEN = { name: "ci", scopes: ["run" as const], tools: null, servers: null, validDays: 30 };

async function open() {
  const accounts = await openAccounts();
  const ada = await accounts.addUser("Ada", "admin");
  const olga = await accounts.addUser("Olga", "operator");
  const input = { name: "CI deploy", about: "Deploys main", role: "operator" as const, ownerId: olga.id };
  const account = await accounts.serviceAccounts.create(ada, input);
  const { text, token } = await accounts.serviceAccounts.createToken(ada, account.id, TOKEN);
  return { ...accounts, ada, olga, account, text, token };
}

describe("a service account", () => {
  it("acts by its own token with its own name, role and limits, and a new role holds at once", async () => {
    const { access, serviceAccounts, ada, account, text, token } = await open();
    expect(isServiceAccount(account)).toBe(true);
    expect(token).toMatchObject({ ownerId: account.id, ownerName: "CI deploy" });
    expect(await access.authenticate(bearer(text))).toMatchObject({
      id: account.id,
      name: "CI deploy",
      role: "operator",
      token: { name: "ci", scopes: ["run"] },
    });
    await serviceAccounts.setRole(ada, account.id, "viewer");
    expect(await access.authenticate(bearer(text))).toMatchObject({ role: "viewer" });
    expect(await serviceAccounts.list(ada)).toMatchObject([{ name: "CI deploy", role: "viewer", tokens: 1 }]);
  });

  it("is no user: it is in no list of users, has no address, and no reset link or change of users reaches it", async () => {
    const { store, people, links, ada, account } = await open();
    const { email = "" } = (await store.findUser(account.id)) ?? {};
    expect((await people.list(ada)).map(({ name }) => name)).toEqual(["Ada", "Olga"]);
    expect((await people.directory(ada)).map(({ name }) => name)).toEqual(["Ada", "Olga"]);
    expect(await store.findUserByEmail(email)).toBeNull();
    await expect(links.createReset(ada, account.id)).rejects.toMatchObject({ code: "NOT_FOUND" });
    for (const change of [
      () => people.setRole(ada, account.id, "admin"),
      () => people.setDisabled(ada, account.id, true),
      () => people.remove(ada, account.id),
    ]) {
      await expect(change()).rejects.toThrow("is a service account");
    }
    const invitation = await people.invite(ada, { role: "admin", email, validDays: 1 });
    const joined = links.use(invitation, { name: "Eve", password: PASSWORD }, HERE);
    await expect(joined).rejects.toMatchObject({ code: "CONFLICT" });
  });

  it("never signs in: neither with a password nor with a session that is in the database", async () => {
    const { db, auth, access, signIn, store, account } = await open();
    const { email = "" } = (await store.findUser(account.id)) ?? {};
    await auth.setPassword(account.id, PASSWORD).catch(() => undefined);
    const response = await signIn(email);
    expect(response.status).not.toBe(200);
    expect(response.headers.getSetCookie().join()).not.toMatch(/toolroom_test=[^;]/);
    expect(await auth.openSession(account.id, new Headers())).toBeNull();
    const at = new Date();
    const row = {
      id: "s1",
      userId: account.id,
      createdAt: at,
      updatedAt: at,
      expiresAt: new Date(Date.now() + 60_000),
    };
    await db.prisma.session.create({ data: { ...row, token: hashSessionToken("t") } });
    const found = access as unknown as { ports: { auth: { readCookie(): string } } };
    found.ports.auth.readCookie = () => "t";
    expect(await access.authenticate(new Headers({ cookie: "any" }))).toBeNull();
  });

  it("does not count as an admin: the last user who is one stays, and a setup link is there while none is", async () => {
    const { serviceAccounts, people, ada, olga, account } = await open();
    await serviceAccounts.setRole(ada, account.id, "admin");
    await expect(people.setRole(olga, ada.id, "viewer")).rejects.toThrow("is the only admin");
    await serviceAccounts.remove(ada, account.id);

    const empty = await openAccounts();
    const keeper = await empty.addUser("Vera", "viewer");
    const input = { name: "bot", about: "", role: "admin" as const, ownerId: keeper.id };
    await empty.serviceAccounts.create(keeper, input);
    expect(await empty.links.createSetup(LOCAL_OWNER)).not.toBeNull();
  });

  it("keeps its tokens when its owner leaves, and is shown without an owner until it gets another one", async () => {
    for (const leave of ["setDisabled", "remove"] as const) {
      const { serviceAccounts, people, access, ada, olga, account, text } = await open();
      expect(await serviceAccounts.get(ada, account.id)).toMatchObject({ owner: { id: olga.id, name: "Olga" } });
      await (leave === "remove" ? people.remove(ada, olga.id) : people.setDisabled(ada, olga.id, true));
      expect(await serviceAccounts.list(ada)).toMatchObject([{ owner: null }]);
      expect(await access.authenticate(bearer(text))).toMatchObject({ id: account.id });
      await serviceAccounts.update(ada, account.id, { ownerId: ada.id });
      expect(await serviceAccounts.get(ada, account.id)).toMatchObject({ owner: { name: "Ada" } });
    }
  });

  it("has an owner who is a user with an active account, never another service account", async () => {
    const { serviceAccounts, people, ada, olga, account } = await open();
    await people.setDisabled(ada, olga.id, true);
    for (const ownerId of [account.id, olga.id, "user_none", ""]) {
      const named = { problems: [{ path: "ownerId" }] };
      const input = { name: "x", about: "", role: "viewer" as const, ownerId };
      await expect(serviceAccounts.create(ada, input)).rejects.toMatchObject(named);
      await expect(serviceAccounts.update(ada, account.id, { ownerId, name: "y" })).rejects.toMatchObject(named);
    }
    expect(await serviceAccounts.list(ada)).toMatchObject([{ name: "CI deploy" }]);
  });

  it("loses its tokens for good when it is switched off, and gets none until it is switched on", async () => {
    const { serviceAccounts, access, ada, account, text } = await open();
    await serviceAccounts.update(ada, account.id, { enabled: false });
    await expect(access.authenticate(bearer(text))).rejects.toThrow("is switched off");
    await expect(serviceAccounts.createToken(ada, account.id, TOKEN)).rejects.toMatchObject({ code: "CONFLICT" });
    await serviceAccounts.update(ada, account.id, { enabled: true });
    await expect(access.authenticate(bearer(text))).rejects.toThrow("was revoked");
    await serviceAccounts.remove(ada, account.id);
    await expect(access.authenticate(bearer(text))).rejects.toThrow("is not known");
    await expect(serviceAccounts.get(ada, account.id)).rejects.toMatchObject({ code: "NOT_FOUND" });
  });

  it("gets no token from a token, and none that is older than the access rules allow", async () => {
    const { serviceAccounts, ada, account, token } = await open();
    const byToken = { ...ada, token: { ...token, id: "t" } };
    await expect(serviceAccounts.createToken(byToken, account.id, TOKEN)).rejects.toMatchObject({ code: "DENIED" });
    const forever = { ...TOKEN, validDays: null };
    await expect(serviceAccounts.createToken(ada, account.id, forever)).rejects.toMatchObject({
      problems: [{ path: "validDays" }],
    });
  });
});
