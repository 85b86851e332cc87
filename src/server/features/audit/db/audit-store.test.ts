import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createScratchDatabase, quietLogger, type ScratchDatabase } from "../../../platform/db/database.test-support";
import { openSqlite } from "../../../platform/db/sqlite/sqlite-database";
import { AUDIT_TEST_KEY, anEntry, listSeqs } from "../audit.test-support";
import type { AnchoredEnds, AuditAnchor, ChainEnd } from "../audit-anchor";
import { createAuditChain } from "../audit-chain";
import type { AuditStore } from "../audit-store";
import { verifyChain } from "../verify-chain";
import { createAuditStore } from "./audit-store";

const chain = createAuditChain(AUDIT_TEST_KEY);
let scratch: ScratchDatabase;
let store: AuditStore;
beforeEach(async () => {
  scratch = await createScratchDatabase();
  store = createAuditStore({ db: scratch.db, chain });
  await store.begin();
});
afterEach(() => scratch.remove());

async function append(count: number): Promise<void> {
  for (let index = 0; index < count; index += 1) await store.append(anEntry({ action: `action.${index + 1}` }));
}

/** As an attacker with write access to the file would. */
function tamper(sql: string): void {
  scratch.db.raw.exec('DROP TRIGGER IF EXISTS "AuditEntry_no_update"; DROP TRIGGER IF EXISTS "AuditEntry_no_delete"');
  scratch.db.raw.exec(sql);
}

const brokenAt = async (known: ChainEnd | null = null) =>
  (await verifyChain(store, chain, known === null ? [] : [{ ...known, source: "that was noted down" }])).broken;

/** Outside the database, as the file is. */
function createMemoryAnchor(given: ChainEnd | null = null): AuditAnchor {
  const ends: AnchoredEnds = { audit: given, executions: null };
  return {
    ends,
    problem: null,
    flush: async () => undefined,
    note(name, end) {
      ends[name] = end;
    },
  };
}

describe("the audit log", () => {
  it("is intact as it was written, and gives its range", async () => {
    expect(await verifyChain(store, chain)).toEqual({ count: 0, first: null, last: null, broken: null });
    await append(5);
    const verdict = await verifyChain(store, chain);
    expect(verdict).toMatchObject({ count: 5, first: { seq: 1 }, last: { seq: 5 }, broken: null });
  });

  it("cannot be changed or shortened by a statement", async () => {
    await append(2);
    expect(() => scratch.db.raw.exec(`UPDATE "AuditEntry" SET "actorName" = 'Eve'`)).toThrow("never changed");
    expect(() => scratch.db.raw.exec('DELETE FROM "AuditEntry" WHERE "seq" = 2')).toThrow("never removed");
    expect(await brokenAt()).toBeNull();
  });

  it.each([
    "at = 5",
    `"actorId" = 'eve'`,
    `"actorName" = 'Eve'`,
    `"token" = 'ci'`,
    `"address" = NULL`,
    `"door" = 'gateway'`,
    `"action" = 'tools.create'`,
    `"targetKind" = 'server'`,
    `"targetName" = 'other'`,
    `"outcome" = 'failed'`,
    `"error" = 'x'`,
    `"before" = NULL`,
    `"after" = '{}'`,
    `"times" = 2`,
    `"hash" = 'x'`,
  ])("names the first entry with a changed field: %s", async (change) => {
    await append(5);
    tamper(`UPDATE "AuditEntry" SET ${change} WHERE "seq" IN (3, 4)`);
    expect(await brokenAt()).toMatchObject({ seq: 3, reason: expect.stringContaining("changed") });
  });

  it("names a removed entry, at the beginning, in the middle and at the end", async () => {
    await append(5);
    tamper('DELETE FROM "AuditEntry" WHERE "seq" = 5');
    expect(await brokenAt()).toEqual({ seq: 5, reason: "it was removed: 5 entries were written, 4 are there" });
    tamper('DELETE FROM "AuditEntry" WHERE "seq" = 3');
    expect(await brokenAt()).toMatchObject({ seq: 3, reason: expect.stringContaining("removed") });
    tamper('DELETE FROM "AuditEntry" WHERE "seq" = 1');
    expect(await brokenAt()).toMatchObject({ seq: 1, reason: expect.stringContaining("removed") });
    tamper('DELETE FROM "AuditEntry"');
    expect(await brokenAt()).toMatchObject({ seq: 1, reason: expect.stringContaining("removed") });
  });

  it("shows a removed end also when entries were written after that, with or without the sealed end", async () => {
    await append(4);
    tamper('DELETE FROM "AuditEntry" WHERE "seq" > 2');
    await append(1);
    expect(await brokenAt()).toMatchObject({ seq: 3, reason: expect.stringContaining("entry 5 follows entry 2") });
    tamper(`DELETE FROM "AuditEntry" WHERE "seq" > 2; DELETE FROM "Setting" WHERE "key" = 'audit.head'`);
    expect(await brokenAt()).toMatchObject({ seq: 3, reason: expect.stringContaining("sealed end") });
    await append(1);
    expect(await brokenAt()).toMatchObject({ seq: 3, reason: expect.stringContaining("a new chain begins") });
  });

  it("names entries that changed places", async () => {
    await append(4);
    tamper(`UPDATE "AuditEntry" SET "seq" = 99 WHERE "seq" = 2; UPDATE "AuditEntry" SET "seq" = 2 WHERE "seq" = 3;
      UPDATE "AuditEntry" SET "seq" = 3 WHERE "seq" = 99`);
    expect(await brokenAt()).toMatchObject({ seq: 2 });
  });

  it("shows an entry that was forged without the key, and one that another installation's key made", async () => {
    await append(3);
    const forger = createAuditChain("cd".repeat(32));
    await createAuditStore({ db: scratch.db, chain: forger }).append(anEntry());
    expect(await brokenAt()).toMatchObject({ seq: 4 });
    expect((await verifyChain(store, forger)).broken).toMatchObject({
      seq: 1,
      reason: expect.stringContaining("another key"),
    });
  });

  it("shows that it was replaced by an older copy where its end was noted down", async () => {
    await append(3);
    const { last } = await verifyChain(store, chain);
    const noted = { seq: 3, hash: last?.hash ?? "" };
    expect(await brokenAt(noted)).toBeNull();
    // The state of an old copy of the file: fewer rows, and the sealed end of that time.
    const head = { seq: 2, hash: (await store.readAfter(1, 1)).entries[0]?.hash ?? "" };
    const sealed = JSON.stringify({ ...head, seal: chain.seal(head.seq, head.hash) });
    tamper(
      `DELETE FROM "AuditEntry" WHERE "seq" > 2; UPDATE "Setting" SET "value" = '${sealed}' WHERE "key" = 'audit.head'`,
    );
    expect(await brokenAt()).toBeNull();
    expect(await brokenAt(noted)).toMatchObject({ seq: 3, reason: expect.stringContaining("noted down") });
    await append(1);
    await append(1);
    expect(await brokenAt(noted)).toMatchObject({ seq: 3, reason: expect.stringContaining("noted down") });
  });

  it("stays whole while several processes append at once", async () => {
    const other = await openSqlite({ url: scratch.url, logger: quietLogger() });
    try {
      const stores = [store, createAuditStore({ db: other, chain })];
      const entries = Array.from({ length: 60 }, (_, index) => anEntry({ action: `action.${index}` }));
      const written = await Promise.all(entries.map((entry, index) => stores[index % 2]?.append(entry)));
      expect(new Set(written.map((entry) => entry?.seq)).size).toBe(60);
      expect(await verifyChain(store, chain)).toMatchObject({ count: 60, broken: null });
    } finally {
      await other.close();
    }
  });

  it("gives a hash to the first entry that depends on all of its fields and the key", () => {
    const entry = { ...anEntry(), seq: 1 };
    const hash = chain.hash(null, entry);
    expect(hash).toMatch(/^[0-9a-f]{64}$/);
    expect(createAuditChain("cd".repeat(32)).hash(null, entry)).not.toBe(hash);
    // Two fields must not run into each other.
    expect(chain.hash(null, { ...entry, door: "api", action: "x" })).not.toBe(
      chain.hash(null, { ...entry, action: "apix" }),
    );
  });
});

describe("the end that is kept outside the database", () => {
  const REMOVE_ALL = `DELETE FROM "AuditEntry"; DELETE FROM "Setting" WHERE "key" = 'audit.head'`;
  let damages: string[];
  const open = async (anchor: AuditAnchor) => {
    damages = [];
    store = createAuditStore({ db: scratch.db, chain, anchor, onDamage: (damage) => damages.push(damage) });
    await store.begin();
  };
  const lastActions = async () => (await store.list({}, undefined, 3)).items.map(({ action }) => action);

  it("shows an empty log whose sealed end is missing, and one that lost all its entries", async () => {
    tamper(REMOVE_ALL);
    expect(await brokenAt()).toMatchObject({
      seq: 1,
      reason: expect.stringContaining("sealed end of the log is missing"),
    });
    await open(createMemoryAnchor());
    expect(await brokenAt()).toBeNull();
    await append(2);
    tamper(REMOVE_ALL);
    expect(await brokenAt()).toMatchObject({ seq: 1, reason: expect.stringContaining("missing") });
  });

  it.each([
    ["rows and head are removed", REMOVE_ALL, 1],
    ["the last rows and the head are those of an older copy", null, 2],
    ["the last row was replaced", `UPDATE "AuditEntry" SET "hash" = 'x' WHERE "seq" = 3`, 3],
    // No entry is lost then, and the log continues.
    ["the head is removed", `DELETE FROM "Setting" WHERE "key" = 'audit.head'`, null],
  ])("lets the running server notice before the next entry that %s, and keeps a gap", async (_title, sql, gap) => {
    const anchor = createMemoryAnchor();
    await open(anchor);
    await append(1);
    const older = scratch.db.raw.prepare(`SELECT value FROM "Setting" WHERE key = 'audit.head'`).pluck().get();
    await append(2);
    expect(anchor.ends.audit?.seq).toBe(3);
    tamper(
      sql ??
        `DELETE FROM "AuditEntry" WHERE "seq" > 1; UPDATE "Setting" SET value = '${older}' WHERE key = 'audit.head'`,
    );
    await append(1);
    await append(1);
    expect(damages).toEqual([expect.stringContaining("Entry 3 of the audit log")]);
    expect(await lastActions()).toEqual(["action.1", "action.1", "audit.damaged"]);
    expect(listSeqs((await store.list({}, undefined, 1)).items)).toEqual([6]);
    expect((await brokenAt())?.seq ?? null).toBe(gap);
  });

  it("lets a server that starts notice an older log, and a missing or changed anchor", async () => {
    const anchor = createMemoryAnchor();
    await open(anchor);
    await append(3);
    await open(createMemoryAnchor({ seq: 9, hash: "f".repeat(64) }));
    expect(damages).toEqual([expect.stringContaining("Entry 9")]);
    expect(listSeqs((await store.list({}, undefined, 1)).items)).toEqual([10]);
    await open(createMemoryAnchor());
    expect(damages).toEqual([expect.stringContaining("was missing at the start")]);
    await open({ ...createMemoryAnchor(), problem: "the anchor file was changed" });
    expect(damages).toEqual(["the anchor file was changed"]);
    expect(await lastActions()).toEqual(["audit.damaged", "audit.damaged", "audit.damaged"]);
  });

  it("is there before a new log is sealed, so that a kill in between is no damage", async () => {
    tamper(REMOVE_ALL);
    const anchor = createMemoryAnchor();
    const killed = { ...anchor, flush: () => Promise.reject(new Error("killed")) };
    await expect(open(killed)).rejects.toThrow("killed");
    expect(scratch.db.raw.prepare(`SELECT 1 FROM "Setting" WHERE key = 'audit.head'`).get()).toBeUndefined();
    await open(createMemoryAnchor({ seq: 0, hash: "" }));
    await append(1);
    expect([damages, await brokenAt(), await lastActions()]).toEqual([[], null, ["action.1"]]);
  });

  it("begins with the log of an earlier version, which has none", async () => {
    await append(2);
    const anchor = createMemoryAnchor();
    await open(anchor);
    await append(1);
    expect([damages, anchor.ends.audit?.seq, await brokenAt()]).toEqual([[], 3, null]);
  });

  it("lags behind after a crash or another process's entry without a word", async () => {
    await open(createMemoryAnchor());
    await append(3);
    const [, second] = (await store.readAfter(0, 9)).entries;
    await open(createMemoryAnchor({ seq: 2, hash: second?.hash ?? "" }));
    await append(1);
    expect(damages).toEqual([]);
    expect(await brokenAt()).toBeNull();
  });
});

describe("the list of the audit log", () => {
  it("is read newest first in pages without a gap or a repeat, whatever is written meanwhile", async () => {
    await append(7);
    const first = await store.list({}, undefined, 3);
    expect(listSeqs(first.items)).toEqual([7, 6, 5]);
    await append(1);
    const second = await store.list({}, first.nextCursor ?? 0, 3);
    const third = await store.list({}, second.nextCursor ?? 0, 3);
    expect([...listSeqs(second.items), ...listSeqs(third.items)]).toEqual([4, 3, 2, 1]);
    expect(third.nextCursor).toBeNull();
  });

  it("is filtered by actor, action, target, outcome, time and text, and gives what there is to choose", async () => {
    await store.append(anEntry({ at: 10 }));
    await store.append(anEntry({ at: 20, actor: { id: "bob", name: "Bob" }, outcome: "denied", error: "needs 100%" }));
    await store.append(anEntry({ at: 30, action: "signIn", target: null, address: "10.0.0.7" }));
    const found = async (filter: Parameters<AuditStore["list"]>[0]) =>
      listSeqs((await store.list(filter, undefined, 50)).items);
    expect(await found({ actor: ["bob"] })).toEqual([2]);
    expect(await found({ actor: ["bob", "ada"], action: ["signIn"] })).toEqual([3]);
    expect(await found({ target: ["tool"] })).toEqual([2, 1]);
    expect(await found({ outcome: "denied" })).toEqual([2]);
    expect(await found({ since: 20, until: 20 })).toEqual([2]);
    expect(await found({ q: "BOB" })).toEqual([2]);
    expect(await found({ q: "100%" })).toEqual([2]);
    expect(await found({ q: "1_0" })).toEqual([]);
    expect(await found({ q: "10.0.0" })).toEqual([3]);
    expect(await store.facets()).toEqual({
      actors: [
        { id: "ada", name: "Ada" },
        { id: "bob", name: "Bob" },
      ],
      actions: ["signIn", "tools.update"],
      targets: ["tool"],
    });
  });
});
