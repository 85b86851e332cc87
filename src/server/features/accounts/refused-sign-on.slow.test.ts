import { describe, expect, it, vi } from "vitest";
import { bearer, HERE, PASSWORD, readCookie } from "./accounts.test-support";
import { createSignInLink } from "./sign-in-link";
import { BY_GROUP, ORIGIN, openSignOn } from "./sign-on-admission.test-support";

const TOKEN = { name: "ci", scopes: ["manage" as const], tools: null, servers: null, validDays: 30 };

/** Ada, who signed in as an admin, with a session, an API token and a link; beside an admin with a password. */
async function openAsAdmin() {
  const bench = await openSignOn(BY_GROUP);
  const olivia = await bench.addUser("Olivia", "admin");
  bench.idp.state.claims.groups = ["root"];
  const { response, user } = await bench.signOn();
  if (user === null) throw new Error("Ada did not sign in");
  const { text } = await bench.tokens.create(user, TOKEN);
  const link = await bench.people.invite(user, { role: "admin", email: "eve@example.org", validDays: 7 });
  return { ...bench, olivia, ada: user, session: readCookie(response), text, link };
}

describe("a user whom single sign-on refuses", () => {
  it.each([
    ["without a role", { groups: [] }, "no-role"],
    ["whose address the provider no longer calls verified", { email_verified: false }, "unverified"],
  ])("%s keeps no session, API token, connected client or link", async (_what, claims, problem) => {
    const { idp, signOn, access, links, audited, db, ada, session, text, link } = await openAsAdmin();
    const at = new Date();
    const client = { clientId: "program", redirectUris: "[]", createdAt: at, updatedAt: at };
    await db.prisma.oauthClient.create({ data: { id: "client_1", ...client } });
    const granted = { clientId: "program", userId: ada.id, scopes: '["mcp:run"]', createdAt: at };
    await db.prisma.oauthConsent.create({ data: { id: "consent_1", ...granted, updatedAt: at } });
    const expiresAt = new Date(Date.now() + 60_000);
    await db.prisma.oauthRefreshToken.create({ data: { id: "refresh_1", token: "hash", ...granted, expiresAt } });
    const changed: (string | null)[] = [];
    access.onChange((userId) => void changed.push(userId));

    Object.assign(idp.state.claims, claims);
    expect((await signOn()).location).toBe(`/sign-in?problem=${problem}`);
    expect(await access.authenticate(session)).toBeNull();
    await expect(access.authenticate(bearer(text))).rejects.toThrow("was revoked");
    await expect(links.preview(link)).rejects.toThrow("withdrawn");
    expect(await db.prisma.oauthRefreshToken.count()).toBe(0);
    expect(await db.prisma.oauthConsent.count()).toBe(0);
    expect(changed, "open streams and pages hear of it").toContain(ada.id);
    const entry = (await audited()).find(({ action }) => action === "signOn.endAccess");
    expect(entry).toMatchObject({
      actor: { name: "Ada" },
      target: { name: expect.stringContaining("ada@example.org") },
    });
    expect(JSON.parse(entry?.after ?? "")).toMatchObject({ sessions: 1, tokens: 1 });
  });

  it("gets in again with a role, and the earlier token stays revoked", async () => {
    const { idp, signOn, access, text } = await openAsAdmin();
    idp.state.claims.groups = [];
    await signOn();
    idp.state.claims.groups = ["staff"];
    expect((await signOn()).user).toMatchObject({ name: "Ada", role: "viewer" });
    await expect(access.authenticate(bearer(text))).rejects.toThrow("was revoked");
  });

  it("who signs out everywhere while a sign-in is under way gets no session by it", async () => {
    const { signOn, audit, endings, store, ada } = await openAsAdmin();
    const record = audit.record.bind(audit);
    // Between the admission and the session, which needs the entry.
    vi.spyOn(audit, "record").mockImplementation(async (entry) => {
      if (entry.action === "signIn" && entry.outcome === "done") await endings.endSessions(ada.id);
      await record(entry);
    });
    const { location, user, response } = await signOn();
    expect(location).toBe("/sign-in?problem=changed");
    expect(user).toBeNull();
    expect(response.headers.getSetCookie()).toEqual([]);
    expect(await store.sessions(ada.id)).toEqual([]);
  });

  it("keeps everything where the provider could not be asked", async () => {
    const { visit, comeBack, access, session, text, ada } = await openAsAdmin();
    const { back, cookies } = await visit();
    await comeBack(`${back.split("?")[0]}?error=access_denied&state=none`, cookies);
    expect(await access.authenticate(session)).toMatchObject({ id: ada.id });
    expect(await access.authenticate(bearer(text))).toMatchObject({ id: ada.id });
  });
});

describe("a server with single sign-on only", () => {
  const open = () => openSignOn({ defaultRole: "viewer" }, { only: true });

  it("refuses passwords at every door, and says what to sign in with", async () => {
    const { answer, toHeaders, addUser, account, people, passwords } = await open();
    const olivia = await addUser("Olivia", "admin");
    const body = JSON.stringify({ email: "olivia@example.org", password: PASSWORD });
    const headers = toHeaders("", { "content-type": "application/json" });
    const response = await answer(new Request(`${ORIGIN}/api/auth/sign-in/email`, { method: "POST", headers, body }));
    expect([response.status, await response.text()]).toEqual([403, expect.stringContaining("sign in with Example ID")]);
    expect(response.headers.getSetCookie()).toEqual([]);
    const change = account.changePassword(olivia, null, { current: PASSWORD, next: "another good password" });
    await expect(change).rejects.toThrow("Passwords are switched off");
    await expect(people.createReset(olivia, olivia.id)).rejects.toThrow("Passwords are switched off");
    expect(passwords.checks).toBe(0);
  });

  it("admits invited users by the provider, and no invitation creates a password", async () => {
    const { addUser, people, links, signOn } = await open();
    const olivia = await addUser("Olivia", "admin");
    const unnamed = people.invite(olivia, { role: "editor", email: null, validDays: 7 });
    await expect(unnamed).rejects.toMatchObject({ problems: [{ path: "email" }] });
    const token = await people.invite(olivia, { role: "editor", email: "ada@example.org", validDays: 7 });
    expect(await links.preview(token)).toMatchObject({ password: false });
    const use = links.use(token, { name: "Ada", password: PASSWORD }, HERE);
    await expect(use).rejects.toThrow("sign in with Example ID");
    expect((await signOn()).user).toMatchObject({ name: "Ada", role: "editor" });
  });

  it("lets an admin in with a one-time link, which is used once and ends when it is not an admin's any more", async () => {
    const { answer, toHeaders, addUser, access, store, people, audit, audited, clock } = await open();
    const olivia = await addUser("Olivia", "admin");
    const bob = await addUser("Bob", "admin");
    const use = (token: string) => {
      const headers = toHeaders("", { "content-type": "application/json" });
      const body = JSON.stringify({ token });
      return answer(new Request(`${ORIGIN}/api/auth/link/use`, { method: "POST", headers, body }));
    };
    const readUser = async ({ id }: { id: string }) => {
      const user = await store.findUser(id);
      if (user === null) throw new Error("removed");
      return user;
    };
    const createLink = async (admin: { id: string }) =>
      createSignInLink({ store, audit, now: () => clock.at }, await readUser(admin));
    const first = await createLink(olivia);
    const second = await createLink(olivia);
    expect((await use(first)).status, "an earlier one ends").toBe(404);
    const response = await use(second);
    expect(await response.json()).toEqual({ email: "olivia@example.org", signedIn: true });
    expect(await access.authenticate(readCookie(response))).toMatchObject({ id: olivia.id, role: "admin" });
    const [session] = await store.sessions(olivia.id);
    expect((session?.expiresAt ?? 0) - Date.now()).toBeLessThanOrEqual(24 * 60 * 60_000);
    expect((await use(second)).status).toBe(404);
    const demoted = await createLink(bob);
    await people.setRole(olivia, bob.id, "editor");
    const refused = await use(demoted);
    expect([refused.status, refused.headers.get("set-cookie") ?? ""]).toEqual([
      403,
      expect.not.stringContaining("toolroom_test="),
    ]);
    const actions = (await audited()).map(({ action, outcome }) => `${action} ${outcome}`);
    expect(actions).toEqual(expect.arrayContaining(["signInLink.create done", "signIn done", "link.refused denied"]));
  });

  it("creates the first account without a password and signs it in", async () => {
    const { answer, toHeaders, links, access, store } = await open();
    const token = (await links.createSetup({ id: "local", name: "Local owner" })) ?? "";
    expect(await links.preview(token)).toMatchObject({ kind: "setup", password: false });
    const headers = toHeaders("", { "content-type": "application/json" });
    const body = JSON.stringify({ token, name: "Ana", email: "ana@example.org" });
    const response = await answer(new Request(`${ORIGIN}/api/auth/link/use`, { method: "POST", headers, body }));
    expect(await access.authenticate(readCookie(response))).toMatchObject({ name: "Ana", role: "admin" });
    expect(await store.findUserByEmail("ana@example.org")).toMatchObject({ signIn: [] });
  });

  it("ends the sessions that are longer than those of single sign-on", async () => {
    const { auth, addUser, store, db } = await open();
    const olivia = await addUser("Olivia", "admin");
    await auth.openSession(olivia.id, new Headers());
    await auth.openSession(olivia.id, new Headers());
    const [stay] = await store.sessions(olivia.id);
    const expiresAt = new Date(Date.now() + 30 * 24 * 60 * 60_000);
    await db.prisma.session.update({ where: { id: stay?.id ?? "" }, data: { expiresAt } });
    await store.deleteSessionsLongerThan(24 * 60 * 60_000);
    const left = await store.sessions(olivia.id);
    expect(left).toHaveLength(1);
    expect(left[0]?.id).not.toBe(stay?.id);
  });
});
