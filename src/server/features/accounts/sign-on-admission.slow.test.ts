import { describe, expect, it } from "vitest";
import { CLIENT } from "../../platform/auth/identity-provider.test-support";
import { PASSWORD, readCookie } from "./accounts.test-support";
import { BY_GROUP, ORIGIN, openSignOn as open } from "./sign-on-admission.test-support";

const INVITATION = { role: "editor", email: "ada@example.org", validDays: 7 } as const;

describe("single sign-on", () => {
  it("signs in whose address was invited, with the role of the invitation, which is used up", async () => {
    const { signOn, addUser, people, audited, store } = await open();
    const admin = await addUser("Olivia", "admin");
    await people.invite(admin, INVITATION);
    const { location, user } = await signOn({ to: "/tools?q=echo" });
    expect(location).toBe("/tools?q=echo");
    expect(user).toMatchObject({ name: "Ada", role: "editor" });
    expect(await people.invitations(admin)).toEqual([]);
    expect(await store.findUserByEmail("ada@example.org")).toMatchObject({ signIn: ["sso"] });
    const actions = (await audited()).map(({ action, outcome }) => `${action} ${outcome}`);
    expect(actions.slice(-2)).toEqual(["signOn.join done", "signIn done"]);
  });

  it("signs in who was provisioned with the verified address, uninvited, and not while the account is switched off", async () => {
    const { signOn, auth, db, store } = await open();
    const user = { name: "Ada L.", email: "ada@example.org", role: "operator" as const, password: null };
    const { id = "" } = (await auth.createUser({ ...user, emailVerified: true })) ?? {};
    expect((await signOn()).location).toBe("/sign-in?problem=has-account");
    const row = { userId: id, nameKey: "ada@example.org", attributes: "{}", createdAt: 1n, updatedAt: 1n };
    await db.prisma.scimUser.create({ data: row });
    await store.updateUser(id, { disabledAt: 1 });
    expect((await signOn()).location).toBe("/sign-in?problem=disabled");
    await store.updateUser(id, { disabledAt: null });
    expect((await signOn()).user).toMatchObject({ id, name: "Ada L.", role: "operator" });
  });

  it("sends state, nonce and a PKCE challenge, stores no tokens with the account and ends the session after a day", async () => {
    const { visit, comeBack, db } = await open({ defaultRole: "viewer" });
    const { url, back, cookies } = await visit();
    const query = Object.fromEntries(url.searchParams);
    expect(query).toMatchObject({ response_type: "code", code_challenge_method: "S256", scope: "openid email" });
    for (const name of ["state", "nonce", "code_challenge"]) expect(query[name]?.length).toBeGreaterThanOrEqual(32);
    await comeBack(back, cookies);
    const [account] = await db.prisma.account.findMany({ where: { providerId: "oidc" } });
    expect(account).toMatchObject({ accessToken: null, refreshToken: null, idToken: null });
    const [session] = await db.prisma.session.findMany();
    const hours = ((session?.expiresAt.getTime() ?? 0) - Date.now()) / 3_600_000;
    expect(hours).toBeGreaterThan(23);
    expect(hours).toBeLessThanOrEqual(24);
  });

  it("refuses who was not invited, and an address that the provider does not call verified", async () => {
    const { signOn, addUser, people, idp, audited } = await open();
    const uninvited = await signOn({ to: "/tools" });
    expect(uninvited).toMatchObject({ location: "/sign-in?problem=not-invited&to=%2Ftools", user: null });
    await people.invite(await addUser("Olivia", "admin"), INVITATION);
    idp.state.claims.email_verified = false;
    expect(await signOn()).toMatchObject({ location: "/sign-in?problem=unverified", user: null });
    delete idp.state.claims.email_verified;
    expect(await signOn()).toMatchObject({ location: "/sign-in?problem=unverified" });
    const denied = (await audited()).filter(({ outcome }) => outcome === "denied");
    expect(denied[0]).toMatchObject({ action: "signIn", target: { kind: "account", name: "ada@example.org" } });
  });

  it("trusts addresses without a word about them where the setting says so, never one that is called unverified", async () => {
    const { signOn, idp } = await open({ defaultRole: "viewer" }, { trustEmail: true });
    idp.state.claims.email_verified = false;
    expect(await signOn()).toMatchObject({ location: "/sign-in?problem=unverified" });
    delete idp.state.claims.email_verified;
    expect((await signOn()).user).toMatchObject({ name: "Ada" });
  });

  it("creates one account where two browsers of a user come back at the same moment", async () => {
    const { visit, comeBack, addUser, people, store } = await open();
    await people.invite(await addUser("Olivia", "admin"), INVITATION);
    const visits = [await visit(), await visit()];
    const ended = await Promise.all(visits.map(({ back, cookies }) => comeBack(back, cookies)));
    const locations = ended.map(({ headers }) => headers.get("location"));
    expect(locations).toContain("/");
    expect(await store.people()).toHaveLength(2);
  });

  it("never signs in to an account with a password by its address; its signed-in owner connects it", async () => {
    const { signOn, addUser, signIn, access } = await open({ defaultRole: "admin" });
    const ada = await addUser("Ada", "viewer");
    expect(await signOn()).toMatchObject({ location: "/sign-in?problem=has-account", user: null });
    const cookie = readCookie(await signIn("ada@example.org", PASSWORD)).get("cookie") ?? "";
    expect(await access.authenticate(new Headers({ cookie }))).toMatchObject({ id: ada.id });
    expect(await signOn({ connect: true }, cookie)).toMatchObject({ location: "/settings/account" });
    expect((await signOn()).user).toMatchObject({ id: ada.id, role: "viewer" });
  });

  it("connects nothing for a browser that signed out or belongs to someone else meanwhile", async () => {
    const { visit, comeBack, addUser, signIn, auth, idp, start } = await open();
    await addUser("Ada", "viewer");
    await addUser("Eve", "viewer");
    expect((await start({ connect: true })).status).toBe(403);
    const ada = readCookie(await signIn("ada@example.org", PASSWORD)).get("cookie") ?? "";
    const eve = readCookie(await signIn("eve@example.org", PASSWORD)).get("cookie") ?? "";
    const { back, cookies } = await visit({ connect: true }, ada);
    const ended = await comeBack(back, cookies.replace(ada, eve));
    expect(ended.headers.get("location")).toBe("/settings/account?problem=expired");
    expect(await auth.findIdentity(`${idp.issuer}#1`)).toBeNull();
  });

  it("applies the role of the claim at each sign-in, the highest of several", async () => {
    const { signOn, idp, audited, access } = await open(BY_GROUP);
    idp.state.claims.groups = ["staff", "ops"];
    const first = await signOn();
    expect(first.user).toMatchObject({ role: "operator" });
    idp.state.claims.groups = "staff";
    expect((await signOn()).user).toMatchObject({ role: "viewer" });
    // The session of before has the new role at once.
    expect(await access.authenticate(readCookie(first.response))).toMatchObject({ role: "viewer" });
    idp.state.claims.groups = [];
    expect(await signOn()).toMatchObject({ location: "/sign-in?problem=no-role", user: null });
    expect((await audited()).find(({ action }) => action === "signOn.setRole")).toMatchObject({ outcome: "done" });
  });

  it("never demotes the last admin by the claim, and says so in the audit log", async () => {
    const { signOn, idp, audited } = await open(BY_GROUP);
    idp.state.claims.groups = ["root"];
    expect((await signOn()).user).toMatchObject({ role: "admin" });
    idp.state.claims.groups = ["staff"];
    expect((await signOn()).user).toMatchObject({ role: "admin" });
    const entry = (await audited()).find(({ action }) => action === "signOn.setRole");
    expect(entry).toMatchObject({ outcome: "failed", error: expect.stringContaining("last admin") });
  });

  it("reads claims from the user info endpoint where the token lacks them, of the same subject only", async () => {
    const { signOn, idp } = await open(BY_GROUP);
    idp.state.userInfo = { groups: ["ops"] };
    expect((await signOn()).user).toMatchObject({ role: "operator" });
    idp.state.userInfo = { sub: "2", groups: ["root"] };
    expect(await signOn()).toMatchObject({ location: "/sign-in?problem=failed", user: null });
  });

  it.each([
    ["another issuer", { forged: { iss: "https://evil.example" } }],
    ["another audience", { forged: { aud: "another-client" } }],
    ["several audiences and another authorized party", { forged: { aud: [CLIENT.id, "b"], azp: "b" } }],
    ["another nonce", { forged: { nonce: "replayed" } }],
    ["no nonce", { forged: { nonce: undefined } }],
    ["a signature of another key", { signsWithForeignKey: true }],
  ])("refuses a token with %s", async (_, change) => {
    const { signOn, idp, errors, store } = await open({ defaultRole: "admin" });
    Object.assign(idp.state, change);
    expect(await signOn()).toMatchObject({ location: "/sign-in?problem=failed", user: null });
    expect(await store.people()).toHaveLength(0);
    expect(errors).toHaveLength(1);
  });

  it("refuses a code of another browser, a used state, and a callback without one", async () => {
    const { visit, comeBack } = await open({ defaultRole: "viewer" });
    const { back, cookies } = await visit();
    const readLocation = async (url: string, cookie: string) => (await comeBack(url, cookie)).headers.get("location");
    expect(await readLocation(back, "")).toBe("/sign-in?problem=expired");
    const again = await visit();
    expect(await readLocation(again.back, cookies)).toBe("/sign-in?problem=expired");
    const used = await visit();
    expect(await readLocation(used.back, used.cookies)).toBe("/");
    expect(await readLocation(used.back, used.cookies)).toBe("/sign-in?problem=expired");
    expect(await readLocation(`${ORIGIN}/api/auth/callback/oidc?code=x`, "")).toBe("/sign-in?problem=expired");
    expect(await readLocation(`${ORIGIN}/api/auth/callback/oidc?error=access_denied`, "")).toBe(
      "/sign-in?problem=cancelled",
    );
  });

  it("works once a provider answers that was down at start, and says so until then", async () => {
    const { start, signOn, idp } = await open({ defaultRole: "viewer" });
    await idp.stop();
    const refused = await start();
    expect([refused.status, await refused.text()]).toEqual([503, expect.stringContaining("Example ID could not be")]);
    await idp.start();
    expect((await signOn()).user).toMatchObject({ name: "Ada" });
  });

  it("refuses a provider that calls itself something else, and addresses that the policy forbids", async () => {
    const { start, idp, errors } = await open();
    idp.state.issuer = "https://other.example";
    const refused = await start();
    expect([refused.status, await refused.text()]).toEqual([503, expect.not.stringContaining("other.example")]);
    expect(errors).toMatchObject([{ err: { message: expect.stringContaining("calls itself 'https://other.ex") } }]);
    const forbidden = await open({}, { private: "deny" });
    expect((await forbidden.start()).status).toBe(503);
    expect(forbidden.idp.state.requests).toEqual([]);
  });

  it("sends the client secret as the provider asks for it", async () => {
    const { signOn, idp } = await open({ defaultRole: "viewer" });
    idp.state.methods = ["client_secret_post"];
    expect((await signOn()).user).toMatchObject({ name: "Ada" });
  });

  it("admits allowed domains only, and nobody who was switched off", async () => {
    const { signOn, idp, store } = await open({ defaultRole: "viewer", emailDomains: ["example.org"] });
    idp.state.claims.email = "ada@evil-example.org";
    expect(await signOn()).toMatchObject({ location: "/sign-in?problem=domain" });
    idp.state.claims.email = "ada@example.org";
    const { user } = await signOn();
    await store.updateUser(user?.id ?? "", { disabledAt: 1 });
    expect(await signOn()).toMatchObject({ location: "/sign-in?problem=disabled", user: null });
  });

  it("returns to pages of this server only, and starts at the public address only", async () => {
    const { signOn, start } = await open({ defaultRole: "viewer" });
    for (const to of ["//evil.example", "https://evil.example", "/\\evil.example"]) {
      expect((await signOn({ to })).location).toBe("/");
    }
    const elsewhere = await start({}, "", { host: "127.0.0.1:3000" });
    expect([elsewhere.status, await elsewhere.text()]).toEqual([400, expect.stringContaining(ORIGIN)]);
  });
});
