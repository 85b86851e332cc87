import { describe, expect, it } from "vitest";
import { LOCAL_OWNER } from "../../../lib/contract/actor";
import { PASSWORD, readCookie } from "./accounts.test-support";
import { openSignIn as open } from "./sign-in-requests.test-support";

describe("the requests of the sign-in pages", () => {
  it("sign in with a cookie and never show the session's token in the body", async () => {
    const { addUser, send, access } = await open();
    await addUser("Ada", "editor");
    const response = await send("sign-in/email", { email: "Ada@Example.org", password: PASSWORD });
    expect([response.status, await response.text()]).toEqual([204, ""]);
    expect(await access.authenticate(readCookie(response))).toMatchObject({ name: "Ada", role: "editor" });
  });

  it("begin a new session at every sign-in, whatever session the browser had before", async () => {
    const { addUser, send, access } = await open();
    await addUser("Ada", "editor");
    await addUser("Eve", "viewer");
    const planted = readCookie(await send("sign-in/email", { email: "eve@example.org", password: PASSWORD }));
    const headers = { cookie: planted.get("cookie") ?? "" };
    const fresh = readCookie(await send("sign-in/email", { email: "ada@example.org", password: PASSWORD }, headers));
    expect(fresh.get("cookie")).not.toBe(headers.cookie);
    expect(await access.authenticate(fresh)).toMatchObject({ name: "Ada" });
    expect(await access.authenticate(planted)).toMatchObject({ name: "Eve" });
    const unsigned = { cookie: "toolroom_test=chosen-by-someone-else" };
    const other = readCookie(await send("sign-in/email", { email: "ada@example.org", password: PASSWORD }, unsigned));
    expect(other.get("cookie")).not.toContain("chosen-by-someone-else");
  });

  it("mark the cookie as Secure where the server says that the client uses TLS", async () => {
    const { addUser, send } = await open();
    await addUser("Ada", "editor");
    const attributesFor = async (headers: Record<string, string>) => {
      const response = await send("sign-in/email", { email: "ada@example.org", password: PASSWORD }, headers);
      return response.headers.getSetCookie().join("\n");
    };
    expect(await attributesFor({})).toMatch(/; HttpOnly; SameSite=Lax$/i);
    expect(await attributesFor({ "x-forwarded-proto": "https" })).toMatch(/; HttpOnly; SameSite=Lax; Secure$/i);
  });

  it("are counted by address", async () => {
    const { send, clock } = await open({ perMinute: 20 });
    const from = (address: string) => send("link", { token: "x" }, { "x-toolroom-peer": address });
    expect([(await from("2001:db8::1")).status, (await from("2001:db8:0:0:7::2")).status]).toEqual([404, 404]);
    const refused = await from("2001:db8::3");
    expect([refused.status, refused.headers.get("retry-after")]).toEqual([429, "30"]);
    expect((await from("2001:db8:0:1::1")).status).toBe(404);
    clock.at += 30_000;
    expect((await from("2001:db8::1")).status).toBe(404);
  });

  it("sign out at once, also for requests that come right after", async () => {
    const { addUser, send, access } = await open();
    await addUser("Ada", "editor");
    const cookie = readCookie(await send("sign-in/email", { email: "ada@example.org", password: PASSWORD }));
    expect(await access.authenticate(cookie)).not.toBeNull();
    expect((await send("sign-out", {}, { cookie: cookie.get("cookie") ?? "" })).status).toBe(200);
    expect(await access.authenticate(cookie)).toBeNull();
  });

  it("give the same answer for a wrong password and an unknown address, and slow guessing of one account down", async () => {
    const { addUser, send, clock } = await open();
    await addUser("Ada", "editor");
    await addUser("Bob", "editor");
    const unknown = await send("sign-in/email", { email: "nobody@example.org", password: "x".repeat(12) });
    const guess = () => send("sign-in/email", { email: "ada@example.org", password: "wrong password" });
    const first = await guess();
    expect([first.status, await first.text()]).toEqual([unknown.status, await unknown.text()]);
    for (let tries = 2; tries <= 5; tries += 1) expect((await guess()).status).toBe(401);
    const right = () => send("sign-in/email", { email: "ADA@example.org ", password: PASSWORD });
    const throttled = await right();
    expect(throttled.status).toBe(429);
    expect(throttled.headers.get("retry-after")).toBe("15");
    expect((await send("sign-in/email", { email: "bob@example.org", password: PASSWORD })).status).toBe(204);
    clock.at += 15_000;
    expect((await send("sign-in/email", { email: "ada@example.org", password: PASSWORD })).status).toBe(204);
  });

  it("use a link with every problem named, and refuse damaged, oversized and unknown requests", async () => {
    const { links, send, answer, errors } = await open();
    const token = (await links.createSetup(LOCAL_OWNER)) ?? "";
    expect(await (await send("link", { token })).json()).toMatchObject({ kind: "setup", role: "admin" });
    const refused = await send("link/use", { token, name: " ", email: "no address", password: "short" });
    expect(refused.status).toBe(400);
    const { error } = (await refused.json()) as { error: { problems: { path: string }[] } };
    expect(error.problems.map(({ path }) => path)).toEqual(["name", "email", "password"]);
    expect((await send("link", { token: "nonsense" })).status).toBe(404);
    expect((await send("link", "{broken")).status).toBe(404);
    expect((await send("link", "x".repeat(20_000))).status).toBe(413);
    for (const path of [
      "sign-up/email",
      "update-user",
      "list-sessions",
      "get-session",
      "admin/list-users",
      "nonsense",
    ]) {
      expect([path, (await send(path, {})).status]).toEqual([path, 404]);
    }
    expect((await answer(new Request("http://localhost:3000/api/auth/get-session"))).status).toBe(404);
    expect(errors).toEqual([]);
  });

  it("leave an entry for each sign-in, refused or not, each sign-out and each use of a link, without a secret", async () => {
    const { addUser, send, audited, audit, links, people } = await open();
    const ada = await addUser("Ada", "admin");
    const peer = { "x-toolroom-peer": "10.0.0.7" };
    for (let tries = 0; tries < 3; tries += 1) {
      await send("sign-in/email", { email: "ada@example.org", password: "wrong password" }, peer);
    }
    await send("sign-in/email", { email: "my password in the wrong field", password: "x" }, peer);
    const signedIn = await send("sign-in/email", { email: "Ada@example.org", password: PASSWORD }, peer);
    await send("sign-out", {}, { cookie: readCookie(signedIn).get("cookie") ?? "" });
    const link = await links.invite(LOCAL_OWNER, { email: "bob@example.org", role: "viewer", validDays: 1 });
    await send("link/use", { token: link, name: "Bob", password: PASSWORD }, peer);
    await send("link/use", { token: link, name: "Eve", password: PASSWORD }, peer);
    await send("link/use", { token: await people.createReset(LOCAL_OWNER, ada.id), password: PASSWORD }, peer);
    await audit.close();
    const entries = await audited();
    expect(
      entries.map(({ action, outcome, actor, target, times }) => [action, outcome, actor.name, target?.name, times]),
    ).toEqual([
      ["signIn", "denied", "Not signed in", "ada@example.org", 1],
      ["signIn", "denied", "Not signed in", "(no e-mail address)", 1],
      ["signIn", "done", "Ada", "ada@example.org", 1],
      ["signOut", "done", "Ada", undefined, 1],
      ["invitation.accept", "done", "Bob", "Bob <bob@example.org>", 1],
      ["link.refused", "denied", "Not signed in", undefined, 1],
      ["password.reset", "done", "Ada", "Ada <ada@example.org>", 1],
      ["signIn", "denied", "Not signed in", "ada@example.org", 2],
    ]);
    expect(entries[0]).toMatchObject({ address: "10.0.0.7", door: "console" });
    for (const secret of [link, PASSWORD, "wrong password"]) expect(JSON.stringify(entries)).not.toContain(secret);
  });

  it("refuse a sign-in whose entry cannot be written", async () => {
    const { addUser, send, db } = await open();
    await addUser("Ada", "admin");
    db.raw.exec(`CREATE TRIGGER "refuse" BEFORE INSERT ON "AuditEntry" BEGIN SELECT RAISE(ABORT, 'full'); END`);
    const response = await send("sign-in/email", { email: "ada@example.org", password: PASSWORD });
    expect([response.ok, response.headers.getSetCookie()]).toEqual([false, []]);
  });
});
