import { setTimeout as sleep } from "node:timers/promises";
import { waitUntil } from "../src/lib/wait-until.test-support";
import { callApi } from "./support/api";
import { buildNewerHome, HAS_COPIES, startInstances } from "./support/copies";
import { startLedger } from "./support/copies-ledger";
import { endLoad, hasTools, prepareLoad, startLoad } from "./support/copies-load";
import { expect, test } from "./support/fixtures";

test.skip(!HAS_COPIES, "needs PostgreSQL and haproxy");
test.skip(process.env.TOOLROOM_E2E_DATABASE === "postgres", "each starts a PostgreSQL of its own: once is enough");

test("three instances lose and double nothing while one is killed, one is paused and the database restarts", async () => {
  test.setTimeout(240_000);
  const ledger = await startLedger();
  const copies = await startInstances({ count: 3, settings: ["shared_buffers=32MB"] });
  try {
    await prepareLoad(copies.url, ledger);
    for (const { url } of copies.copies) await waitUntil(() => hasTools(url), { what: "every copy has the tools" });
    const load = startLoad(copies.url, { lanes: { newer: 3, older: 3, people: 2, approvals: 1, runs: 2 }, callMs: 20 });
    const [first, second, third] = copies.copies;
    const after = (count: number) =>
      waitUntil(() => load.found.acknowledged.length >= count, { what: "calls go on", timeoutMs: 60_000 });
    await after(20);
    await first?.kill();
    await after(load.found.acknowledged.length + 20);
    second?.pause();
    await sleep(1_500);
    second?.wake();
    await copies.database.restart("immediate");
    await first?.start();
    await after(load.found.acknowledged.length + 20);
    expect(await third?.stop()).toBe(0);
    await copies.settle();
    await after(load.found.acknowledged.length + 20);
    expect(await endLoad(copies, ledger, load)).toEqual([]);
  } finally {
    await copies.close();
    await ledger.close();
  }
});

test("instances are upgraded one after another while they serve, and the older version says why it does not start any more", async () => {
  test.setTimeout(240_000);
  const ledger = await startLedger();
  const copies = await startInstances({ count: 2, settings: ["shared_buffers=32MB"] });
  const [first, second] = copies.copies;
  const listVersions = async () =>
    (
      await callApi<{ copies: { items: { version: string }[] } }>(copies.url, "system.info", undefined, "GET")
    ).copies.items
      .map(({ version }) => version)
      .sort();
  try {
    await prepareLoad(copies.url, ledger);
    for (const { url } of copies.copies) await waitUntil(() => hasTools(url), { what: "both copies have the tools" });
    const [old] = await listVersions();
    const TOOLROOM_HOME = await buildNewerHome(copies.folder, "999.0.0");
    const load = startLoad(copies.url, { lanes: { newer: 2, older: 2, people: 2, approvals: 1, runs: 1 }, callMs: 20 });
    const more = () => {
      const count = load.found.acknowledged.length + 20;
      return waitUntil(() => load.found.acknowledged.length >= count, { what: "calls go on", timeoutMs: 60_000 });
    };
    await more();
    await first?.stop();
    await first?.start({ TOOLROOM_HOME });
    await more();
    expect(await listVersions()).toEqual([old, "999.0.0"]);
    // The older one works alone with the newer schema.
    await first?.stop();
    await more();
    await first?.start();
    await second?.stop();
    await expect(second?.start()).rejects.toThrow("was made by a newer version of Toolroom");
    await second?.start({ TOOLROOM_HOME });
    await copies.settle();
    await more();
    expect(await listVersions()).toEqual(["999.0.0", "999.0.0"]);
    expect(await endLoad(copies, ledger, load)).toEqual([]);
  } finally {
    await copies.close();
    await ledger.close();
  }
});
