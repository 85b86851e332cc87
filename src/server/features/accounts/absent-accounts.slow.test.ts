import { describe, expect, it } from "vitest";
import { createAbsentAccounts } from "./absent-accounts";
import { readAccessRules } from "./access-rules";
import { bearer, readCookie } from "./accounts.test-support";
import { BY_GROUP, openSignOn } from "./sign-on-admission.test-support";

const DAY_MS = 24 * 60 * 60_000;
const HOUR_MS = 60 * 60_000;
const TOKEN = { name: "ci", scopes: ["run" as const], tools: null, servers: null, validDays: 90 };

/** Ada, who signed in by the provider, and Olivia, an admin with a password; absence counts after 30 days. */
async function open({ group = "staff", absentDays = 30 as number | null } = {}) {
  const bench = await openSignOn(BY_GROUP);
  const { store, endings, audit, settings, accessRules, clock } = bench;
  const olivia = await bench.addUser("Olivia", "admin");
  bench.idp.state.claims.groups = [group];
  const { user: ada, response } = await bench.signOn();
  if (ada === null) throw new Error("Ada did not sign in");
  await accessRules.save(olivia, { maxTokenDays: 90, absentDays });
  const left: string[] = [];
  const sweep = createAbsentAccounts({
    store,
    endings,
    audit,
    settings,
    provider: "Example ID",
    now: () => clock.at,
    readRules: () => readAccessRules(settings),
    onLeft: async (userId) => void left.push(userId),
  });
  /** The server runs for this time, with a sweep each hour. */
  async function run(days: number): Promise<void> {
    for (let hours = 0; hours < days * 24; hours += 6) {
      clock.at += 6 * HOUR_MS;
      await sweep();
    }
  }
  const isOff = async ({ id }: { id: string }) => (await store.findUser(id))?.disabledAt !== null;
  await sweep();
  return { ...bench, olivia, ada, session: readCookie(response), left, sweep, run, isOff };
}

describe("an account that the identity provider has not seen for the days of the rule", () => {
  it("is switched off with all of its access, and the audit log says why", async () => {
    const { ada, olivia, tokens, access, run, isOff, left, audited, store } = await open();
    const { text } = await tokens.create(ada, TOKEN);
    await run(29);
    expect([await isOff(ada), left]).toEqual([false, []]);
    expect(await access.authenticate(bearer(text))).toMatchObject({ id: ada.id });
    await run(2);
    expect([await isOff(ada), left]).toEqual([true, [ada.id]]);
    await expect(access.authenticate(bearer(text))).rejects.toThrow("switched off");
    expect(await store.sessions(ada.id)).toEqual([]);
    expect(await isOff(olivia), "who does not sign in by the provider").toBe(false);
    await run(2);
    const entries = (await audited()).filter(({ action }) => action === "signOn.switchOff");
    expect(entries).toMatchObject([{ actor: { id: "system" }, outcome: "done", target: { kind: "person" } }]);
    expect(JSON.parse(entries[0]?.after ?? "")).toMatchObject({ provider: "Example ID", absentDays: 30, tokens: 1 });
  });

  it("stays while the provider admits the user, and a refused sign-in does not count", async () => {
    const { ada, idp, signOn, run, isOff } = await open();
    for (let month = 0; month < 3; month += 1) {
      await run(25);
      expect((await signOn()).location).toBe("/");
    }
    expect(await isOff(ada)).toBe(false);
    await run(20);
    idp.state.claims.groups = [];
    expect((await signOn()).location).toBe("/sign-in?problem=no-role");
    await run(11);
    expect(await isOff(ada)).toBe(true);
  });

  it("has the whole time again after an admin switched it on", async () => {
    const { ada, olivia, people, run, isOff } = await open();
    await run(31);
    expect(await isOff(ada)).toBe(true);
    await people.setDisabled(olivia, ada.id, false);
    await run(29);
    expect(await isOff(ada)).toBe(false);
    await run(2);
    expect(await isOff(ada)).toBe(true);
  });

  it("stays as the last admin, also where all admins are absent", async () => {
    const { ada, olivia, people, run, isOff, store } = await open({ group: "root" });
    await people.remove(ada, olivia.id);
    await run(100);
    expect(await isOff(ada)).toBe(false);
    expect((await store.people()).map(({ role, disabledAt }) => [role, disabledAt])).toEqual([["admin", null]]);
  });

  it("stays without the rule", async () => {
    const { ada, run, isOff } = await open({ absentDays: null });
    await run(100);
    expect(await isOff(ada)).toBe(false);
  });

  it("stays where the server did not run in between, or its clock was changed", async () => {
    const { ada, clock, sweep, run, isOff } = await open();
    for (const jump of [400 * DAY_MS, -300 * DAY_MS, 45 * DAY_MS, -10 * DAY_MS]) {
      clock.at += jump;
      await sweep();
      await run(10);
      expect([jump, await isOff(ada)]).toEqual([jump, false]);
    }
    await run(100);
    expect(await isOff(ada)).toBe(true);
  });
});
