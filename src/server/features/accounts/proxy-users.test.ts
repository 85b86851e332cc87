import { describe, expect, it } from "vitest";
import type { ApiTokenInput } from "../../../lib/contract/account";
import { type ProxyUser, writeProxyUser } from "../../../lib/http-guard/proxy-user";
import { bearer, openAccounts, readCookie } from "./accounts.test-support";
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

  it("is the account with that address, and loses access with it", async () => {
    const { access, addPerson, people, audited, clock } = await openAccounts({
      proxyRules: RULES,
      emailDomain: "example.org",
    });
    const admin = await addPerson("Root", "admin");
    const { id } = await addPerson("Olivia", "editor");
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
    const { access, addPerson, signIn, tokens } = accounts;
    const admin = await addPerson("Root", "admin");
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
      const { access, addPerson, signIn } = await openAccounts();
      const { id } = await addPerson("Olivia", "editor");
      const headers = readCookie(await signIn("olivia@example.org"));
      headers.set("authorization", authorization);
      expect(await access.authenticate(headers)).toMatchObject({ id });
      expect(await access.authenticate(new Headers({ authorization }))).toBeNull();
    },
  );

  it("leaves X-Toolroom-Token for programs, which is judged as any token", async () => {
    const { access, addPerson, tokens } = await openAccounts();
    const admin = await addPerson("Root", "admin");
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
