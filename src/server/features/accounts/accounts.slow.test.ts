import { describe, expect, it } from "vitest";
import { LOCAL_OWNER } from "../../../lib/contract/actor";
import { bearer, HERE, openAccounts, PASSWORD, readCookie } from "./accounts.test-support";

describe("the first account", () => {
  it("is created once, by the newest setup link, as an admin who can sign in", async () => {
    const { links, access, signIn } = await openAccounts();
    const first = await links.createSetup(LOCAL_OWNER);
    const second = await links.createSetup(LOCAL_OWNER);
    await expect(links.preview(first ?? "")).rejects.toThrow("ask for a new one");
    expect(await links.preview(second ?? "")).toMatchObject({ kind: "setup", role: "admin", email: null });
    await expect(links.use(second ?? "", { password: PASSWORD }, HERE)).rejects.toMatchObject({
      problems: [{ path: "name" }, { path: "email" }],
    });
    await links.use(second ?? "", { name: "Ada", email: "ada@example.org", password: PASSWORD }, HERE);
    await expect(links.preview(second ?? "")).rejects.toThrow("was used");
    expect(await links.createSetup(LOCAL_OWNER)).toBeNull();
    const response = await signIn("ada@example.org");
    expect(response.status).toBe(200);
    expect(await access.authenticate(readCookie(response))).toMatchObject({ name: "Ada", role: "admin", token: null });
  });

  it("is an admin's: whom single sign-on let in before ends no setup link", async () => {
    const { auth, links, signIn, access } = await openAccounts();
    await auth.createUser({
      name: "Vera",
      email: "vera@example.org",
      role: "viewer",
      password: null,
      emailVerified: true,
    });
    const token = (await links.createSetup(LOCAL_OWNER)) ?? "";
    await links.use(token, { name: "Ada", email: "ada@example.org", password: PASSWORD }, HERE);
    expect(await access.authenticate(readCookie(await signIn("ada@example.org")))).toMatchObject({ role: "admin" });
    expect(await links.createSetup(LOCAL_OWNER)).toBeNull();
  });

  it("is created once even when two users use the link at the same moment", async () => {
    const { links, store } = await openAccounts();
    const token = (await links.createSetup(LOCAL_OWNER)) ?? "";
    const use = (name: string) => links.use(token, { name, email: `${name}@example.org`, password: PASSWORD }, HERE);
    const outcomes = await Promise.allSettled([use("ada"), use("bob"), use("cleo")]);
    expect(outcomes.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
    expect(await store.people()).toHaveLength(1);
  });
});

describe("a session", () => {
  it("is a signed cookie that scripts cannot read, with the host prefix behind TLS", async () => {
    const { addUser, signIn } = await openAccounts({ publicUrl: "https://tools.example.org" });
    await addUser("Ada", "admin");
    const [cookie = ""] = (await signIn("ada@example.org")).headers.getSetCookie();
    expect(cookie).toMatch(/^__Host-toolroom_test=/);
    expect(cookie).toMatch(/; HttpOnly/);
    expect(cookie).toMatch(/; Secure/);
    expect(cookie).toMatch(/; SameSite=Lax/i);
    expect(cookie).not.toMatch(/Domain=/i);
  });

  it("is refused with a changed, cut or unsigned cookie, and cannot be made from a copy of the database", async () => {
    const { addUser, signIn, access, db } = await openAccounts();
    await addUser("Ada", "admin");
    const cookie = readCookie(await signIn("ada@example.org")).get("cookie") ?? "";
    const token = /toolroom_test=([^.]+)/.exec(cookie)?.[1] ?? "";
    const stored = (await db.prisma.session.findFirst())?.token ?? "";
    expect(cookie).toContain(token);
    expect([stored.includes(token), decodeURIComponent(cookie).includes(stored)]).toEqual([false, false]);
    const wrong = [cookie.slice(0, -4), cookie.replace(token, `${token.slice(0, -1)}!`), `toolroom_test=${stored}`];
    wrong.push(cookie.replace(token, stored), `toolroom_test=${token}.`);
    for (const each of [...wrong, `toolroom_test=${stored}.`, "toolroom_test=%E0%A4%A", "toolroom_test="]) {
      expect(await access.authenticate(new Headers({ cookie: each }))).toBeNull();
    }
  });

  it("stays signed in when the token that an earlier version stored as it is becomes a hash", async () => {
    const { addUser, signIn, access, auth, db, store } = await openAccounts();
    const ada = await addUser("Ada", "admin");
    const cookie = readCookie(await signIn("ada@example.org"));
    const token = auth.readCookie(cookie.get("cookie")) ?? "";
    const readTokens = async () => (await db.prisma.session.findMany()).map((session) => session.token);
    const [hashed] = await readTokens();
    await db.prisma.session.updateMany({ data: { token } });
    await store.hashSessionTokens();
    await store.hashSessionTokens();
    expect(await readTokens()).toEqual([hashed]);
    expect(await access.authenticate(cookie)).toMatchObject({ id: ada.id });
    const [opened = ""] = (await auth.openSession(ada.id, new Headers())) ?? [];
    expect(await access.authenticate(new Headers({ cookie: opened.split(";", 1)[0] ?? "" }))).toMatchObject({
      id: ada.id,
    });
    expect((await readTokens()).every((each) => each.startsWith("sha256.") && !opened.includes(each))).toBe(true);
  });

  it("ends at once when it is ended, its user is switched off, removed or gets a new password", async () => {
    const { addUser, signIn, access, people, links, clock } = await openAccounts();
    const ada = await addUser("Ada", "admin");
    const bob = await addUser("Bob", "viewer");
    const enter = async () => readCookie(await signIn("bob@example.org"));
    const ends: (() => Promise<unknown>)[] = [
      () => people.endSessions(ada, bob.id),
      async () => links.use(await people.createReset(ada, bob.id), { password: PASSWORD }, HERE),
      () => people.setDisabled(ada, bob.id, true),
    ];
    for (const end of ends) {
      const cookie = await enter();
      expect(await access.authenticate(cookie)).toMatchObject({ id: bob.id });
      await end();
      expect(await access.authenticate(cookie)).toBeNull();
    }
    expect((await signIn("bob@example.org")).status).not.toBe(200);
    await people.setDisabled(ada, bob.id, false);
    const cookie = await enter();
    expect(await access.authenticate(cookie)).toMatchObject({ id: bob.id });
    clock.at += 31 * 24 * 60 * 60_000;
    expect(await access.authenticate(cookie)).toBeNull();
    clock.at -= 31 * 24 * 60 * 60_000;
    await people.remove(ada, bob.id);
    expect(await access.authenticate(cookie)).toBeNull();
  });

  it("has the role of its user from the next request on", async () => {
    const { addUser, signIn, access, people } = await openAccounts();
    const ada = await addUser("Ada", "admin");
    const bob = await addUser("Bob", "viewer");
    const cookie = readCookie(await signIn("bob@example.org"));
    expect(await access.authenticate(cookie)).toMatchObject({ role: "viewer" });
    await people.setRole(ada, bob.id, "editor");
    expect(await access.authenticate(cookie)).toMatchObject({ role: "editor" });
  });

  it("of a user who changes the password goes on, and the others end", async () => {
    const { addUser, signIn, access, account } = await openAccounts();
    const ada = await addUser("Ada", "admin");
    const here = readCookie(await signIn("ada@example.org"));
    const elsewhere = readCookie(await signIn("ada@example.org"));
    const current = await access.sessionId(here);
    const change = (from: string) => account.changePassword(ada, current, { current: from, next: "another good one" });
    await expect(change("wrong password!")).rejects.toMatchObject({ problems: [{ path: "current" }] });
    await change(PASSWORD);
    expect(await access.authenticate(here)).toMatchObject({ id: ada.id });
    expect(await access.authenticate(elsewhere)).toBeNull();
    expect((await signIn("ada@example.org")).status).toBe(401);
    expect((await signIn("ada@example.org", "another good one")).status).toBe(200);
    expect((await account.sessions(ada, current)).map((session) => session.current)).toEqual([false, true]);
  });
});

it("makes whoever guesses a password with an open session wait", async () => {
  const { addUser, signIn, access, account } = await openAccounts();
  const ada = await addUser("Ada", "operator");
  const current = await access.sessionId(readCookie(await signIn("ada@example.org")));
  const change = (from: string) => account.changePassword(ada, current, { current: from, next: "another good one" });
  for (let tries = 0; tries < 5; tries += 1) await expect(change("wrong password!")).rejects.toThrow("is wrong");
  await expect(change(PASSWORD)).rejects.toMatchObject({
    code: "TOO_MANY_REQUESTS",
    message: expect.stringMatching(/in \d+ s/),
  });
});

describe("an invitation", () => {
  it("gives its role once, to its address only, until it is withdrawn", async () => {
    const { addUser, people, links, signIn, access, clock } = await openAccounts();
    const ada = await addUser("Ada", "admin");
    const bound = await people.invite(ada, { role: "operator", email: "bob@example.org", validDays: 7 });
    await links.use(bound, { name: "Bob", email: "mallory@example.org", password: PASSWORD }, HERE);
    const bob = await access.authenticate(readCookie(await signIn("bob@example.org")));
    expect(bob).toMatchObject({ name: "Bob", role: "operator" });
    await expect(links.use(bound, { name: "Eve", password: PASSWORD }, HERE)).rejects.toThrow("was used");
    await expect(people.invite(ada, { role: "viewer", email: "bob@example.org", validDays: 7 })).rejects.toMatchObject({
      code: "CONFLICT",
    });

    const open = await people.invite(ada, { role: "viewer", email: null, validDays: 2 });
    const [link] = await people.invitations(ada);
    expect(link).toMatchObject({ kind: "invitation", role: "viewer", creatorName: "Ada" });
    expect(JSON.stringify(link)).not.toContain(open);
    await people.revokeInvitation(ada, link?.id ?? "");
    await expect(links.preview(open)).rejects.toMatchObject({ code: "NOT_FOUND" });

    const late = await people.invite(ada, { role: "viewer", email: null, validDays: 1 });
    clock.at += 25 * 60 * 60_000;
    await expect(links.use(late, { name: "Eve", email: "eve@example.org", password: PASSWORD }, HERE)).rejects.toThrow(
      "has expired",
    );
  });
});

describe("the last admin", () => {
  it("keeps the role, also when two admins demote each other at the same moment", async () => {
    const { addUser, people, store } = await openAccounts();
    const ada = await addUser("Ada", "admin");
    await addUser("Viv", "viewer");
    await expect(people.setRole(ada, ada.id, "viewer")).rejects.toThrow("the only admin");
    const bob = await addUser("Bob", "admin");
    const outcomes = await Promise.allSettled([
      people.setRole(ada, bob.id, "viewer"),
      people.setRole(bob, ada.id, "viewer"),
      people.remove(ada, bob.id),
      people.setDisabled(bob, ada.id, true),
    ]);
    expect(outcomes.some(({ status }) => status === "rejected")).toBe(true);
    const admins = (await store.people()).filter(({ role, disabledAt }) => role === "admin" && disabledAt === null);
    expect(admins).toHaveLength(1);
    await expect(people.remove(ada, ada.id)).rejects.toThrow("your own account");
  });
});

describe("an API token", () => {
  const INPUT = { name: "ci", scopes: ["run" as const], tools: ["echo"], servers: null, validDays: 1 };

  it("acts for its owner with its limits, and is stored as a hash only", async () => {
    const { addUser, tokens, access, db, store } = await openAccounts();
    const ada = await addUser("Ada", "editor");
    const { text, token } = await tokens.create(ada, INPUT);
    expect(text).toMatch(/^trm_[\w-]{43}$/);
    expect(await access.authenticate(bearer(text))).toEqual({
      id: ada.id,
      name: "Ada",
      role: "editor",
      token: { id: token.id, name: token.name, scopes: ["run"], tools: ["echo"], servers: null },
      origin: { door: "api", address: null },
    });
    expect(JSON.stringify(await db.prisma.apiToken.findMany(), (_, value) => String(value))).not.toContain(text);
    await expect.poll(async () => (await tokens.list(ada))[0]?.lastUsedAt).not.toBeNull();
    expect(await store.people()).toHaveLength(1);
  });

  it("is refused with the reason when it is unknown, revoked, expired, or its owner is switched off or gone", async () => {
    const { addUser, tokens, people, access, clock, audited } = await openAccounts();
    const ada = await addUser("Ada", "admin");
    const bob = await addUser("Bob", "editor");
    const refused = (text: string) => expect(access.authenticate(bearer(text))).rejects;
    await refused("trm_nonsense").toMatchObject({
      code: "UNAUTHENTICATED",
      message: expect.stringContaining("not known"),
    });
    const { text, token } = await tokens.create(bob, INPUT);
    clock.at += 25 * 60 * 60_000;
    await refused(text).toThrow("has expired");
    clock.at -= 25 * 60 * 60_000;
    access.applyChange(bob.id);
    await tokens.revoke(ada, token.id);
    await refused(text).toThrow("was revoked");
    const { text: other } = await tokens.create(bob, INPUT);
    await people.setDisabled(ada, bob.id, true);
    await refused(other).toThrow("switched off");
    await people.setDisabled(ada, bob.id, false);
    const second = await tokens.create(bob, INPUT);
    await people.remove(ada, bob.id);
    await refused(second.text).toThrow("not known");
    const entries = await audited();
    expect(entries.map(({ action, outcome }) => [action, outcome])).toEqual(
      entries.map(() => ["token.refused", "denied"]),
    );
    expect(entries.map(({ error }) => error).join()).toMatch(/not known.*has expired.*was revoked.*switched off/);
  });

  it("of another user is seen and revoked by admins only, and no token creates a token", async () => {
    const { addUser, tokens } = await openAccounts();
    const ada = await addUser("Ada", "admin");
    const bob = await addUser("Bob", "editor");
    const { token } = await tokens.create(ada, INPUT);
    expect(await tokens.list(bob)).toEqual([]);
    await expect(tokens.revoke(bob, token.id)).rejects.toMatchObject({ code: "NOT_FOUND" });
    const limits = { id: token.id, scopes: ["manage" as const], tools: null, servers: null };
    await expect(tokens.create({ ...ada, token: limits }, INPUT)).rejects.toMatchObject({ code: "DENIED" });
    expect(await tokens.list(ada)).toHaveLength(1);
  });

  it("has a greatest age by the access rules, 90 days until an admin changes it, and existing tokens keep theirs", async () => {
    const { addUser, tokens, accessRules, access } = await openAccounts();
    const ada = await addUser("Ada", "admin");
    const create = (validDays: number | null) => tokens.create(ada, { ...INPUT, validDays });
    const refused = (maxDays: number) => ({
      code: "INVALID",
      message: expect.stringContaining("An admin can change it in Settings → People"),
      problems: [{ path: "validDays", message: expect.stringContaining(`must be at most ${maxDays}`) }],
    });
    for (const days of [91, 365, 3650, null]) await expect(create(days)).rejects.toMatchObject(refused(90));
    const { text, token } = await create(90);
    expect((await accessRules.save(ada, { maxTokenDays: 7, absentDays: null })).revision).toBe(1);
    for (const days of [8, 90, null]) await expect(create(days)).rejects.toMatchObject(refused(7));
    await create(7);
    expect((await tokens.list(ada)).find(({ id }) => id === token.id)?.expiresAt).toBe(token.expiresAt);
    expect(await access.authenticate(bearer(text))).toMatchObject({ id: ada.id });
    await accessRules.save(ada, { maxTokenDays: null, absentDays: null });
    for (const days of [3650, null]) await create(days);
  });

  it("has rules that a second editor does not overwrite unseen", async () => {
    const { addUser, accessRules, settings } = await openAccounts();
    const ada = await addUser("Ada", "admin");
    const { revision } = await accessRules.get(ada);
    await accessRules.save(ada, { maxTokenDays: 30, absentDays: 60 }, revision);
    const late = accessRules.save(ada, { maxTokenDays: null, absentDays: null }, revision);
    await expect(late).rejects.toMatchObject({ code: "CONFLICT", message: expect.stringContaining("by Ada") });
    expect((await accessRules.get(ada)).rules).toEqual({ maxTokenDays: 30, absentDays: 60 });
    // Unreadable rules switch no account off, and keep the bound of tokens.
    for (const text of ["{", "{}", '{"rules":{"maxTokenDays":0,"absentDays":0}}', "null"]) {
      await settings.write("access.rules", text);
      expect((await accessRules.get(ada)).rules).toEqual({ maxTokenDays: 90, absentDays: null });
    }
  });

  it("can be given by the environment, for automation", async () => {
    const { access } = await openAccounts({ provisioned: "a-long-token-of-an-operator" });
    expect(await access.authenticate(bearer("a-long-token-of-an-operator"))).toMatchObject({ id: "automation" });
  });
});
