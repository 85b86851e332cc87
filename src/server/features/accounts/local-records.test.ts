import { expect, it } from "vitest";
import { LOCAL_OWNER } from "../../../lib/contract/actor";
import { openAccounts } from "./accounts.test-support";
import { createLocalRecordStore } from "./db/local-record-store";
import { createLocalRecords } from "./local-records";

const BEFORE = 1_000_000_000_000;

/** A server with calls and runs of the local owner from before and after the first account, and one of someone else. */
async function open() {
  const { db, store: accounts, addUser } = await openAccounts();
  const { raw } = db;
  const addCall = raw.prepare(
    `INSERT INTO "Execution" (id, status, "toolName", source, "actorId", "actorName", "queuedAt", "instanceId", arguments)
     VALUES (?, 'succeeded', 'echo', 'console', ?, ?, ?, 'here', '{}')`,
  );
  const addRun = raw.prepare(
    `INSERT INTO "Run" (id, status, source, provider, model, title, "actorId", "actorName", "startedAt", settings)
     VALUES (?, 'succeeded', 'console', 'demo', 'demo', 'Hello', ?, ?, ?, '{}')`,
  );
  const { id, name } = LOCAL_OWNER;
  raw.transaction(() => {
    for (let index = 0; index < 1200; index += 1) addCall.run(`local_${index}`, id, name, BEFORE + index);
    addCall.run("automation", "automation", "Automation", BEFORE);
    addRun.run("run_local", id, name, BEFORE);
    raw.prepare(`INSERT INTO "FavoriteTool" ("personId", "toolName") VALUES (?, 'echo'), (?, 'clock')`).run(id, id);
    raw.prepare(`INSERT INTO "ToolOwner" ("toolName", "personId", "personName") VALUES ('mine', ?, ?)`).run(id, name);
  })();
  const first = await addUser("Ada", "admin");
  const second = await addUser("Bob", "admin");
  raw.prepare('UPDATE "User" SET "createdAt" = ? WHERE id = ?').run(BEFORE * 1.5, first.id);
  addCall.run("later", id, name, BEFORE * 2);
  addRun.run("run_later", id, name, BEFORE * 2);
  raw.prepare(`INSERT INTO "FavoriteTool" ("personId", "toolName") VALUES (?, 'echo')`).run(first.id);
  let reloads = 0;
  const store = createLocalRecordStore({ db, localOwner: LOCAL_OWNER });
  const onClaimed = async (): Promise<void> => {
    reloads += 1;
  };
  const records = createLocalRecords({ store, accounts, onClaimed });
  const actors = (table: string) =>
    raw
      .prepare(`SELECT "actorName" AS actor, COUNT(*) AS rows FROM "${table}" GROUP BY 1 ORDER BY 1`)
      .safeIntegers(false)
      .all();
  return { raw, records, first, second, actors, reloads: () => reloads };
}

it("the first owner claims what the local owner did before accounts, and nothing from afterwards", async () => {
  const { raw, records, first, actors, reloads } = await open();
  expect(await records.localRecords(first)).toEqual({ calls: 1200, runs: 1, limit: 10_000 });
  expect(await records.claimLocalRecords(first)).toEqual({ calls: 1200, runs: 1 });
  expect(actors("Execution")).toEqual([
    { actor: "Ada", rows: 1200 },
    { actor: "Automation", rows: 1 },
    { actor: "Local owner", rows: 1 },
  ]);
  expect(actors("Run")).toEqual([
    { actor: "Ada", rows: 1 },
    { actor: "Local owner", rows: 1 },
  ]);
  expect(raw.prepare('SELECT * FROM "FavoriteTool" ORDER BY "toolName"').all()).toEqual([
    { personId: first.id, toolName: "clock" },
    { personId: first.id, toolName: "echo" },
  ]);
  expect(raw.prepare('SELECT * FROM "ToolOwner"').all()).toEqual([
    { toolName: "mine", personId: first.id, personName: "Ada" },
  ]);
  expect(reloads()).toBe(1);
  expect(await records.localRecords(first)).toEqual({ calls: 0, runs: 0, limit: 10_000 });
  expect(await records.claimLocalRecords(first)).toEqual({ calls: 0, runs: 0 });
});

it("nobody else sees or claims them, admin or not", async () => {
  const { records, second, actors } = await open();
  expect(await records.localRecords(second)).toBeNull();
  await expect(records.claimLocalRecords(second)).rejects.toThrow("Only the first admin");
  expect(actors("Execution")).toContainEqual({ actor: "Local owner", rows: 1201 });
});
