import { describe, expect, it } from "vitest";
import { bearer, HERE, openAccounts, PASSWORD, readCookie } from "./accounts.test-support";
import { createSignInLink } from "./sign-in-link";
import { openSignIn } from "./sign-in-requests.test-support";

const TOKEN = { name: "ci", scopes: ["manage" as const], tools: null, servers: null, validDays: 30 };
const INVITATION = { role: "admin" as const, email: null, validDays: 7 };
const OTHER = "another good password";

/** An admin, and a colleague with a session and an API token. */
async function open(role: "admin" | "viewer" = "admin") {
  const accounts = await openAccounts();
  const ada = await accounts.addUser("Ada", "admin");
  const bob = await accounts.addUser("Bob", role);
  const session = readCookie(await accounts.signIn("bob@example.org"));
  const { text, token } = await accounts.tokens.create(bob, TOKEN);
  return { ...accounts, ada, bob, session, text, token };
}

describe("a user who is switched off", () => {
  it("gets no session, API token or link back by being switched on again", async () => {
    const { people, links, access, ada, bob, session, text } = await open();
    const invitation = await people.invite(bob, INVITATION);
    const reset = await people.createReset(ada, bob.id);
    const byBob = await people.createReset(bob, ada.id);
    await people.setDisabled(ada, bob.id, true);
    await people.setDisabled(ada, bob.id, false);
    expect(await access.authenticate(session)).toBeNull();
    await expect(access.authenticate(bearer(text))).rejects.toThrow("was revoked");
    for (const link of [invitation, reset, byBob]) await expect(links.preview(link)).rejects.toThrow("withdrawn");
  });

  it("leaves no open link when the account is removed or stops being an admin's", async () => {
    for (const end of ["remove", "demote"] as const) {
      const { people, links, ada, bob } = await open();
      const invitation = await people.invite(bob, INVITATION);
      const kept = await people.invite(ada, INVITATION);
      await (end === "remove" ? people.remove(ada, bob.id) : people.setRole(ada, bob.id, "editor"));
      await expect(links.preview(invitation)).rejects.toThrow("withdrawn");
      expect(await links.preview(kept)).toMatchObject({ role: "admin" });
    }
  });
});

describe("what was remembered of a user", () => {
  it("does not outlive a change that came while it was read", async () => {
    const { access, store, people, ada, bob, session } = await open("viewer");
    access.applyChange(bob.id);
    const read = access.authenticate(session);
    await people.setRole(ada, bob.id, "operator");
    await read;
    expect(await access.authenticate(session)).toMatchObject({ role: "operator" });
    expect(await store.findUser(bob.id)).toMatchObject({ role: "operator" });
  });

  it("is reported at each change, with whose it is", async () => {
    const { access, people, tokens, account, ada, bob, token } = await open("viewer");
    const changed: (string | null)[] = [];
    const stop = access.onChange((userId) => void changed.push(userId));
    const changes = [
      () => people.setRole(ada, bob.id, "operator"),
      () => tokens.revoke(ada, token.id),
      () => account.rename(bob, "Robert"),
      () => people.endSessions(ada, bob.id),
      () => account.endAllSessions(bob),
    ];
    for (const change of changes) {
      changed.length = 0;
      await change();
      expect(new Set(changed)).toEqual(new Set([bob.id]));
    }
    stop();
    changed.length = 0;
    await people.endSessions(ada, bob.id);
    expect(changed).toEqual([]);
  });
});

it("signing out everywhere ends all sessions of the user, and no other user's", async () => {
  const { access, account, signIn, bob, session } = await open();
  const others = [readCookie(await signIn("bob@example.org")), readCookie(await signIn("ada@example.org"))];
  await account.endAllSessions(bob);
  const found = await Promise.all([session, ...others].map((cookie) => access.authenticate(cookie)));
  expect(found.map((principal) => principal?.name)).toEqual([undefined, undefined, "Ada"]);
});

describe("reset links of a user", () => {
  it("end when a newer one is created, and all of them when one is used or the password is changed", async () => {
    const { people, links, account, access, store, ada, bob, session } = await open();
    const first = await people.createReset(ada, bob.id);
    const second = await people.createReset(ada, bob.id);
    await expect(links.preview(first)).rejects.toThrow("withdrawn");
    await expect(links.use(first, { password: OTHER }, HERE)).rejects.toThrow("withdrawn");
    // Two that are open at once, as two admins may create them at the same moment.
    const third = { tokenHash: "third", kind: "reset" as const, email: "bob@example.org", role: null, userId: bob.id };
    const times = { createdAt: Date.now(), expiresAt: Date.now() + 60_000 };
    await store.createLink({ ...third, creator: ada, ...times });
    await links.use(second, { password: OTHER }, HERE);
    expect(await store.findLink("third")).toBeNull();
    await store.createLink({ ...third, creator: ada, ...times });
    const current = await access.sessionId(session);
    await account.changePassword(bob, current, { current: OTHER, next: PASSWORD });
    expect(await store.findLink("third")).toBeNull();
  });

  it("say how many API tokens survive, and end them where that is asked for", async () => {
    const { people, links, access, ada, bob, text } = await open();
    const kept = await people.createReset(ada, bob.id);
    expect(await links.preview(kept)).toMatchObject({ kind: "reset", apiTokens: 1, password: true });
    await links.use(kept, { password: OTHER }, HERE);
    expect(await access.authenticate(bearer(text))).toMatchObject({ id: bob.id });
    const ending = await people.createReset(ada, bob.id);
    await links.use(ending, { password: PASSWORD, revokeTokens: true }, HERE);
    await expect(access.authenticate(bearer(text))).rejects.toThrow("was revoked");
  });
});

it.each(["reset", "switched off", "signed out everywhere"])(
  "a sign-in that is under way with the old password begins no session where the account is %s before it ends",
  async (what) => {
    const { send, addUser, people, links, store, access, passwords } = await openSignIn();
    const ada = await addUser("Ada", "admin");
    const bob = await addUser("Bob", "viewer");
    const token = await people.createReset(ada, bob.id);
    const ends: Record<string, () => Promise<unknown>> = {
      reset: () => links.use(token, { password: OTHER }, HERE),
      "switched off": () => people.setDisabled(ada, bob.id, true),
      "signed out everywhere": () => people.endSessions(ada, bob.id),
    };
    passwords.meanwhile = async () => {
      passwords.meanwhile = async () => undefined;
      await ends[what]?.();
    };
    const response = await send("sign-in/email", { email: "bob@example.org", password: PASSWORD });
    expect(response.ok).toBe(false);
    expect(await access.authenticate(readCookie(response))).toBeNull();
    expect(await store.sessions(bob.id)).toEqual([]);
  },
);

it.each(["demoted", "switched off", "switched off and on again", "signed out everywhere"])(
  "a sign-in by link that is under way begins no session where the account is %s before it ends",
  async (what) => {
    const { send, addUser, people, store, access, audit, audited, clock, auth } = await openSignIn();
    const ada = await addUser("Ada", "admin");
    const bob = await addUser("Bob", "admin");
    const user = await store.findUser(bob.id);
    if (user === null) throw new Error("removed");
    const token = await createSignInLink({ store, audit, now: () => clock.at }, user);
    const switchOff = (disabled: boolean) => people.setDisabled(ada, bob.id, disabled);
    const changes: Record<string, () => Promise<unknown>> = {
      demoted: () => people.setRole(ada, bob.id, "viewer"),
      "switched off": () => switchOff(true),
      "switched off and on again": () => switchOff(true).then(() => switchOff(false)),
      "signed out everywhere": () => people.endSessions(ada, bob.id),
    };
    const open = auth.openSession;
    auth.openSession = async (...given) => {
      await changes[what]?.();
      return open(...given);
    };
    const response = await send("link/use", { token });
    expect([response.status, await response.text()]).toEqual([403, expect.stringContaining("ask for a new link")]);
    expect(await access.authenticate(readCookie(response))).toBeNull();
    expect(await store.sessions(bob.id)).toEqual([]);
    expect((await audited()).at(-1)).toMatchObject({ action: "link.refused", outcome: "denied" });
  },
);

it("a new password ends the API tokens where its owner asks for it", async () => {
  const { account, access, bob, session, text } = await open();
  const current = await access.sessionId(session);
  const passwords = { current: PASSWORD, next: OTHER };
  await account.changePassword(bob, current, passwords);
  expect(await access.authenticate(bearer(text))).toMatchObject({ id: bob.id });
  await account.changePassword(bob, current, { current: OTHER, next: PASSWORD, revokeTokens: true });
  await expect(access.authenticate(bearer(text))).rejects.toThrow("was revoked");
  expect(await access.authenticate(session)).toMatchObject({ id: bob.id });
});
