import { describe, expect, it } from "vitest";
import { AUDIENCE, startTokenIssuer } from "../../platform/auth/token-issuer.test-support";
import type { TrustedIssuer } from "../../platform/auth/trusted-issuers";
import { bearer, openAccounts } from "./accounts.test-support";
import type { AdmissionRules } from "./sign-on-admission";

const BY_GROUP: AdmissionRules = {
  roleOf: new Map([
    ["ops", "operator"],
    ["root", "admin"],
  ]),
  defaultRole: null,
  emailDomains: [],
};

async function open(rules: Partial<AdmissionRules> = {}, trusted: Partial<TrustedIssuer> = {}) {
  const issuer = await startTokenIssuer();
  let now = (): number => Date.now();
  const accounts = await openAccounts({
    publicUrl: AUDIENCE,
    issuers: { check: issuer.check(trusted, "allow", () => now()), rules: { [issuer.url]: { ...BY_GROUP, ...rules } } },
  });
  now = () => accounts.clock.at;
  const enter = (token: string, path = "/mcp") => accounts.access.authenticate(bearer(token), "gateway", path);
  return { ...accounts, issuer, sign: issuer.sign, enter };
}

describe("a user with a JWT of a trusted issuer", () => {
  it("gets an account once, with the role of the claim and no more than lists and calls", async () => {
    const { sign, enter, store, audited, issuer } = await open();
    const tokens = await Promise.all([1, 2, 3].map((jti) => sign({ groups: ["ops"], jti: `${jti}` })));
    const found = await Promise.all(tokens.map((token) => enter(token)));
    const users = await store.people();
    expect(users.map(({ email, role }) => [email, role])).toEqual([["ada@example.org", "operator"]]);
    for (const principal of found) {
      expect(principal).toMatchObject({
        id: users[0]?.id,
        role: "operator",
        token: { id: `issuer ${issuer.url}`, scopes: ["read", "run"] },
      });
    }
    expect((await audited()).map(({ action }) => action)).toEqual(["signOn.join", "signIn"]);
  });

  it("may do what the token's scopes say where it names some of ours", async () => {
    const { sign, enter } = await open();
    const token = await sign({ groups: "ops", scope: "openid mcp:read" });
    expect((await enter(token))?.token?.scopes).toEqual(["read"]);
  });

  it("comes in at the addresses that the audience names: one of the gateway, or the whole server", async () => {
    const whole = await open();
    const token = await whole.sign({ groups: "ops" });
    for (const path of ["/mcp", "/mcp/github", "", "/api/v1/tools"]) {
      expect(await whole.enter(token, path)).toMatchObject({ name: "Ada" });
    }
    const one = await open({}, { audiences: [`${AUDIENCE}/mcp/github`] });
    const narrow = await one.sign({ groups: "ops", aud: `${AUDIENCE}/mcp/github` });
    expect(await one.enter(narrow, "/mcp/github")).toMatchObject({ name: "Ada" });
    for (const path of ["/mcp", "/mcp/files", "", "/api/v1/tools"]) {
      await expect(one.enter(narrow, path)).rejects.toThrow("another address");
    }
  });

  it("has the same account as by single sign-on with that issuer", async () => {
    const { sign, enter, addUser, auth, issuer } = await open();
    const ada = await addUser("Ada", "viewer");
    await auth.addIdentity(ada.id, `${issuer.url}#1`);
    expect(await enter(await sign({ groups: "ops" }))).toMatchObject({ id: ada.id, role: "operator" });
  });

  it("does not get the account of another user by an address", async () => {
    const { sign, enter, addUser, audited } = await open();
    await addUser("Ada", "admin");
    await expect(enter(await sign({ groups: "ops" }))).rejects.toThrow("not connected to single sign-on");
    expect((await audited()).at(-1)).toMatchObject({ action: "token.refused", outcome: "denied" });
  });

  it.each([
    ["no role", { groups: ["staff"] }, {}, "no role"],
    ["no address", { groups: "ops", email: undefined }, {}, "no e-mail address"],
    ["an address that is not verified", { groups: "ops", email_verified: false }, {}, "not verified"],
    ["an address of another domain", { groups: "ops" }, { emailDomains: ["example.com"] }, "domain"],
  ])("with %s gets no account", async (_title, claims, rules, problem) => {
    const { sign, enter, store } = await open(rules);
    await expect(enter(await sign(claims))).rejects.toThrow(problem);
    expect(await store.people()).toEqual([]);
  });

  it("is refused at the next request once the account is switched off or the claim gives no role", async () => {
    const { sign, enter, people, addUser, store, clock } = await open();
    const admin = await addUser("Root", "admin");
    const token = await sign({ groups: "ops" });
    const { id = "" } = (await enter(token)) ?? {};
    await people.setDisabled(admin, id, true);
    await expect(enter(token)).rejects.toThrow("switched off");
    await people.setDisabled(admin, id, false);
    expect(await enter(token)).toMatchObject({ id });
    clock.at += 10_000;
    await expect(enter(await sign({ groups: "staff" }))).rejects.toThrow("no role");
    expect((await store.findUser(id))?.role).toBe("operator");
  });

  it("has the role of the newest token, also with one that was issued before", async () => {
    const { sign, enter, store, clock, addUser } = await open();
    await addUser("Root", "admin");
    const iat = Math.floor(Date.now() / 1_000) - 100;
    const before = await sign({ groups: "root", iat });
    expect((await enter(before))?.role).toBe("admin");
    const after = await sign({ groups: "ops", iat: iat + 50 });
    expect((await enter(after))?.role).toBe("operator");
    clock.at += 10_000;
    expect((await enter(before))?.role).toBe("operator");
    expect((await store.people()).find(({ name }) => name === "Ada")?.role).toBe("operator");
  });

  it("is not remembered for longer than the token is valid", async () => {
    const { sign, enter, clock } = await open();
    const token = await sign({ groups: "ops", exp: Math.floor(Date.now() / 1_000) + 60 });
    expect(await enter(token)).not.toBeNull();
    clock.at += 100_000;
    await expect(enter(token)).rejects.toThrow(/"exp"/);
  });
});

it("a JWT is an unknown token where no issuer is trusted, and others are not taken for one", async () => {
  const issuer = await startTokenIssuer();
  const { access } = await openAccounts();
  await expect(access.authenticate(bearer(await issuer.sign()))).rejects.toThrow(/ token /);
  const trusting = await openAccounts({ issuers: { check: issuer.check(), rules: {} } });
  await expect(trusting.access.authenticate(bearer(`trm_${"a".repeat(43)}`))).rejects.toThrow("not known");
  expect(issuer.state.requests).toEqual([]);
});
