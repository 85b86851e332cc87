import { describe, expect, it } from "vitest";
import type { ApiTokenInput } from "../../../lib/contract/account";
import { LOCAL_OWNER } from "../../../lib/contract/actor";
import { type ProxyUser, writeProxyUser } from "../../../lib/http-guard/request-headers";
import { bearer, HERE, openAccounts, PASSWORD, readCookie } from "./accounts.test-support";
import type { AdmissionRules } from "./sign-on-admission";

const RULES: AdmissionRules = { roleOf: null, defaultRole: "viewer", emailDomains: [], linksByAddress: true };
const TOKEN: ApiTokenInput = { name: "t", scopes: ["read"], tools: null, servers: null, validDays: 1 };
const BY_GROUP: AdmissionRules = {
  ...RULES,
  defaultRole: null,
  roleOf: new Map([
    ["ops", "operator"],
    ["root", "admin"],
  ]),
};

function name(user: string, groups: string[] = [], more: Record<string, string> = {}): Headers {
  const headers: Record<string, string | string[] | undefined> = { ...more };
  writeProxyUser(headers, { name: user, groups } satisfies ProxyUser);
  return new Headers(headers as Record<string, string>);
}

describe("a user whom a trusted proxy names", () => {
  it("gets an account with the default role once, also from requests that come together", async () => {
    const { access, store, audited } = await openAccounts({ proxyRules: RULES });
    const all = await Promise.all([1, 2, 3].map(() => access.authenticate(name("New@Example.org"), "console")));
    expect(all.map((found) => found?.role)).toEqual(["viewer", "viewer", "viewer"]);
    expect(await access.sessionId(name("new@example.org"))).toBeNull();
    expect((await store.people()).map(({ email }) => email)).toEqual(["new@example.org"]);
    expect((await audited()).map(({ action, outcome }) => [action, outcome])).toEqual([
      ["signOn.join", "done"],
      ["signIn", "done"],
    ]);
  });

  it("is no account whose address was only typed, until its owner signs in to it in the same browser", async () => {
    const { access, addUser, signIn, store, links, people, audited, clock } = await openAccounts({
      proxyRules: RULES,
    });
    const admin = await addUser("Root", "admin");
    // A user with this link can enter any address, so the address alone must not give the proxy's user this account.
    const token = await people.invite(admin, { email: null, role: "editor", validDays: 1 });
    const input = { name: "Mallory", email: "bob@example.org", password: PASSWORD };
    const { id } = await links.use(token, input, HERE);
    expect(await access.authenticate(name("bob@example.org"))).toBeNull();
    expect((await store.findUser(id))?.signIn).toEqual(["password"]);
    expect((await audited()).at(-1)).toMatchObject({ action: "signIn", outcome: "denied" });
    clock.at += 60_000;
    const { cookie = "" } = Object.fromEntries(readCookie(await signIn("root@example.org")));
    expect(await access.authenticate(name("bob@example.org", [], { cookie }))).toMatchObject({ id: admin.id });
    clock.at += 60_000;
    const { cookie: own = "" } = Object.fromEntries(readCookie(await signIn("bob@example.org")));
    expect(await access.authenticate(name("bob@example.org", [], { cookie: own }))).toMatchObject({ id });
    expect((await audited()).map(({ action }) => action)).toContain("signOn.connect");
    expect(await access.authenticate(name("bob@example.org"))).toMatchObject({ id, role: "editor" });
  });

  it("is at once the account of an invitation that names the address, and that of the first admin", async () => {
    const { access, links, people } = await openAccounts({ proxyRules: RULES });
    const setup = (await links.createSetup(LOCAL_OWNER)) ?? "";
    const first = { name: "Root", email: "root@example.org", password: PASSWORD };
    const { id: rootId } = await links.use(setup, first, HERE);
    const root = await access.authenticate(name("root@example.org"));
    expect(root).toMatchObject({ id: rootId, role: "admin" });
    const by = { id: rootId, name: "Root" };
    const token = await people.invite(by, { email: "ann@example.org", role: "operator", validDays: 1 });
    const { id } = await links.use(token, { name: "Ann", password: PASSWORD }, HERE);
    expect(await access.authenticate(name("ann@example.org"))).toMatchObject({ id, role: "operator" });
  });

  it("is the account with that address, and loses access with it", async () => {
    const { access, addUser, people, audited, clock } = await openAccounts({
      proxyRules: RULES,
      emailDomain: "example.org",
    });
    const admin = await addUser("Root", "admin");
    const { id } = await addUser("Olivia", "editor", true);
    expect(await access.authenticate(name("olivia"))).toMatchObject({ id, role: "editor", token: null });
    expect((await audited()).map(({ action }) => action)).toEqual(["signOn.connect", "signIn"]);
    await people.setDisabled(admin, id, true);
    access.applyChange(id);
    clock.at += 10_000;
    expect(await access.authenticate(name("olivia"))).toBeNull();
    expect((await audited()).at(-1)).toMatchObject({ action: "signIn", outcome: "denied" });
  });

  it("has the role of the best group at each request, and none without one", async () => {
    const { access, clock } = await openAccounts({ proxyRules: BY_GROUP });
    expect(await access.authenticate(name("a@b.c", ["staff"]))).toBeNull();
    expect(await access.authenticate(name("a@b.c", ["staff", "ops"]))).toMatchObject({ role: "operator" });
    expect(await access.authenticate(name("a@b.c", ["root", "ops"]))).toMatchObject({ role: "admin" });
    expect(await access.authenticate(name("z@b.c", ["root"]))).toMatchObject({ role: "admin" });
    clock.at += 10_000;
    expect(await access.authenticate(name("a@b.c", ["ops"]))).toMatchObject({ role: "operator" });
  });

  it.each(["", "a b", "evil@x.y, real@x.y", "a@b@c", "<a@b.c>", `${"x".repeat(200)}@b.c`, "nobody"])(
    "is nobody where the header has '%s'",
    async (user) => {
      const { access, store, audited } = await openAccounts({ proxyRules: RULES });
      expect(await access.authenticate(name(user))).toBeNull();
      expect(await store.people()).toEqual([]);
      // Written once for all requests of a page.
      expect(await access.authenticate(name(user))).toBeNull();
      expect(await audited()).toMatchObject([{ action: "signIn", outcome: "denied", actor: { id: "unknown" } }]);
    },
  );

  it("goes before the cookie of another one, behind a token, and the cookie stays for one without an account", async () => {
    const accounts = await openAccounts({ proxyRules: BY_GROUP });
    const { access, addUser, signIn, tokens } = accounts;
    const admin = await addUser("Root", "admin");
    const { cookie = "" } = Object.fromEntries(readCookie(await signIn("root@example.org")));
    expect(await access.authenticate(name("a@b.c", ["ops"], { cookie }))).toMatchObject({ role: "operator" });
    expect(await access.authenticate(name("a@b.c", [], { cookie }))).toMatchObject({ id: admin.id });
    const { text: secret } = await tokens.create(admin, TOKEN);
    const authorization = `Bearer ${secret}`;
    expect(await access.authenticate(name("a@b.c", ["ops"], { authorization }))).toMatchObject({ id: admin.id });
  });

  it("is not believed from a client that writes the server's own header", async () => {
    const { access } = await openAccounts({ proxyRules: RULES });
    const user = encodeURIComponent(JSON.stringify({ name: "a@b.c", groups: [] }));
    for (const value of [user, `x ${user}`, `undefined ${user}`, ` ${user}`, `${crypto.randomUUID()} ${user}`]) {
      expect(await access.authenticate(new Headers({ "x-toolroom-proxy-user": value }))).toBeNull();
    }
  });

  it("is nobody where proxies name no users", async () => {
    const { access } = await openAccounts();
    expect(await access.authenticate(name("a@b.c"))).toBeNull();
  });
});

describe("an Authorization that belongs to a proxy", () => {
  it.each(["Basic dXNlcjpwYXNz", "Digest username=x", "Negotiate abc", "basic", "Bearerish x"])(
    "(%s) hides no session, and signs nobody in",
    async (authorization) => {
      const { access, addUser, signIn } = await openAccounts();
      const { id } = await addUser("Olivia", "editor");
      const headers = readCookie(await signIn("olivia@example.org"));
      headers.set("authorization", authorization);
      expect(await access.authenticate(headers)).toMatchObject({ id });
      expect(await access.authenticate(new Headers({ authorization }))).toBeNull();
    },
  );

  it("leaves X-Toolroom-Token for programs, which is checked as any token", async () => {
    const { access, addUser, tokens } = await openAccounts();
    const admin = await addUser("Root", "admin");
    const { text: secret } = await tokens.create(admin, TOKEN);
    for (const authorization of ["Basic dXNlcjpwYXNz", "Bearer of-the-proxy"]) {
      const headers = new Headers({ authorization, "x-toolroom-token": secret });
      expect(await access.authenticate(headers)).toMatchObject({ id: admin.id, token: { name: "t" } });
    }
    for (const token of ["wrong", "two words", `Bearer ${secret}`]) {
      await expect(access.authenticate(new Headers({ "x-toolroom-token": token }))).rejects.toMatchObject({
        code: "UNAUTHENTICATED",
      });
    }
    await expect(access.authenticate(bearer("wrong"))).rejects.toMatchObject({ code: "UNAUTHENTICATED" });
    await expect(access.authenticate(new Headers({ authorization: "Bearer" }))).rejects.toThrow(/Bearer <token>/);
  });
});
