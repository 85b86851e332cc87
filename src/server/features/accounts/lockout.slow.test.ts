import { describe, expect, it } from "vitest";
import { PASSWORD, readCookie } from "./accounts.test-support";
import { openSignIn } from "./sign-in-requests.test-support";

const MAIL = "ada@example.org";
const OTHER = "another good password";

async function open() {
  const accounts = await openSignIn();
  const ada = await accounts.addUser("Ada", "admin");
  const signIn = (password: string, address: string, cookie = "") =>
    accounts.send("sign-in/email", { email: MAIL, password }, { "x-toolroom-peer": address, cookie });
  /** Wrong passwords, all at once, each from the address that its number gives. */
  const guess = async (count: number, toAddress: (at: number) => string): Promise<number[]> => {
    const tries = Array.from({ length: count }, (_, at) => signIn(`wrong password ${at}`, toAddress(at)));
    return (await Promise.all(tries)).map(({ status }) => status);
  };
  /** The cookies of a browser in which Ada has signed in before. */
  async function openKnownBrowser(address = "10.0.9.9"): Promise<string> {
    return readCookie(await signIn(PASSWORD, address)).get("cookie") ?? "";
  }
  return { ...accounts, ada, signIn, guess, openKnownBrowser };
}

describe("wrong passwords for an account", () => {
  it("of one address get five checks, however many come at once, and no more until the wait is over", async () => {
    const { guess, signIn, passwords, clock } = await open();
    const statuses = await guess(50, () => "10.0.0.1");
    expect(passwords.checks).toBe(5);
    expect(statuses.filter((status) => status === 401)).toHaveLength(5);
    expect(statuses.filter((status) => status === 429)).toHaveLength(45);
    clock.at += 14_000;
    expect((await signIn(PASSWORD, "10.0.0.1")).status).toBe(429);
    clock.at += 2000;
    passwords.checks = 0;
    await guess(50, () => "10.0.0.1");
    expect(passwords.checks, "one after the wait").toBe(1);
  });

  it("of one address do not keep the user out elsewhere", async () => {
    const { guess, signIn, clock } = await open();
    for (let round = 0; round < 10; round += 1) {
      await guess(10, () => "10.0.0.1");
      clock.at += 16 * 60_000;
    }
    await guess(10, () => "10.0.0.1");
    expect((await signIn(PASSWORD, "10.0.0.1")).status).toBe(429);
    expect((await signIn(PASSWORD, "10.0.0.2")).status).toBe(204);
  });

  it("of many addresses get twenty checks together, and one network of IPv6 counts as one address", async () => {
    const { guess, passwords } = await open();
    await guess(100, (at) => `10.0.1.${at}`);
    expect(passwords.checks).toBe(20);
    const second = await open();
    await second.guess(50, (at) => `2001:db8:0:1::${at.toString(16)}`);
    expect(second.passwords.checks).toBe(5);
  });

  it("of strangers do not keep out a browser in which the user has signed in before, which has five tries of its own", async () => {
    const { guess, signIn, openKnownBrowser } = await open();
    const cookie = await openKnownBrowser();
    await guess(100, (at) => `10.0.1.${at}`);
    expect((await signIn(PASSWORD, "10.0.2.1")).status).toBe(429);
    for (let tries = 0; tries < 4; tries += 1) expect((await signIn("not it", "10.0.2.1", cookie)).status).toBe(401);
    expect((await signIn(PASSWORD, "10.0.2.1", cookie)).status).toBe(204);
    for (let tries = 0; tries < 5; tries += 1) expect((await signIn("not it", "10.0.2.1", cookie)).status).toBe(401);
    expect((await signIn(PASSWORD, "10.0.2.1", cookie)).status).toBe(429);
  });

  it("are counted with everyone else's where the browser's cookie is changed or belongs to another user", async () => {
    const { addUser, send, guess, signIn, openKnownBrowser } = await open();
    await addUser("Eve", "viewer");
    const known = await openKnownBrowser();
    const eves = readCookie(await send("sign-in/email", { email: "eve@example.org", password: PASSWORD })).get(
      "cookie",
    );
    await guess(100, (at) => `10.0.1.${at}`);
    const forged = known.replace(/(_known=)([\w-]+)\./, (_, name, text) => `${name}${text}x.`);
    for (const cookie of [eves ?? "", forged, known.replace(/_known=[^;]+/, "_known=."), "toolroom_test_known=a.b"]) {
      expect((await signIn(PASSWORD, "10.0.2.1", cookie)).status).toBe(429);
    }
  });

  it("no longer count after a reset link is used, whose browser strangers cannot lock out", async () => {
    const { people, send, guess, signIn, ada } = await open();
    await guess(100, (at) => `10.0.1.${at}`);
    const token = await people.createReset(ada, ada.id);
    const used = await send("link/use", { token, password: OTHER }, { "x-toolroom-peer": "10.0.2.1" });
    const cookie = readCookie(used).get("cookie") ?? "";
    expect((await signIn(OTHER, "10.0.2.1")).status).toBe(204);
    await guess(100, (at) => `10.0.1.${at}`);
    expect((await signIn(OTHER, "10.0.2.2")).status).toBe(429);
    expect((await signIn(OTHER, "10.0.2.2", cookie)).status).toBe(204);
  });

  it("no longer count after an admin lifts them, who sees whose sign-in is slowed", async () => {
    const { people, guess, signIn, ada } = await open();
    const slowed = async () => (await people.list(ada))[0]?.slowedUntil ?? null;
    expect(await slowed()).toBeNull();
    await guess(100, (at) => `10.0.1.${at}`);
    expect(await slowed()).toBeGreaterThan(0);
    await people.unlock(ada, ada.id);
    expect(await slowed()).toBeNull();
    expect((await signIn(PASSWORD, "10.0.1.1")).status).toBe(204);
  });

  it("no longer count for an account that is switched on again, which refused the right one before", async () => {
    const { people, addUser, send, ada } = await open();
    const bob = await addUser("Bob", "viewer");
    await people.setDisabled(ada, bob.id, true);
    const signInBob = () => send("sign-in/email", { email: "bob@example.org", password: PASSWORD });
    for (let tries = 0; tries < 8; tries += 1) expect((await signInBob()).ok).toBe(false);
    await people.setDisabled(ada, bob.id, false);
    expect((await signInBob()).status).toBe(204);
  });
});

it("one address gets 60 checks at once for all accounts together, then one a second, and another server's are its own", async () => {
  const first = await open();
  const second = await open();
  const statuses = async ({ send }: typeof first, count: number) => {
    const tries = Array.from({ length: count }, (_, at) =>
      send("sign-in/email", { email: `person${at}@example.org`, password: "guess" }, { "x-toolroom-peer": "10.0.0.1" }),
    );
    const all = (await Promise.all(tries)).map(({ status }) => status);
    return all.filter((status) => status === 401).length;
  };
  expect(await statuses(first, 200)).toBe(60);
  first.clock.at += 10_000;
  expect(await statuses(first, 200)).toBe(10);
  expect(await statuses(second, 200)).toBe(60);
});

it("of guesses for the current password at once, five are checked, and another session is not slowed by them", async () => {
  const { account, access, signIn, passwords, ada } = await open();
  const stolen = readCookie(await signIn(PASSWORD, "10.0.0.1"));
  const own = readCookie(await signIn(PASSWORD, "10.0.0.2"));
  const thief = await access.sessionId(stolen);
  const owner = await access.sessionId(own);
  passwords.checks = 0;
  const change = (session: string | null, current: string) =>
    account.changePassword(ada, session, { current, next: OTHER });
  const tries = Array.from({ length: 50 }, (_, at) => change(thief, `wrong password ${at}`));
  await Promise.allSettled(tries);
  expect(passwords.checks).toBe(5);
  await expect(change(thief, PASSWORD)).rejects.toMatchObject({ code: "TOO_MANY_REQUESTS" });
  await change(owner, PASSWORD);
});
