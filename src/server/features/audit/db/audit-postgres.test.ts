import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { LOCAL_OWNER } from "../../../../lib/contract/actor";
import { createExecutionStore } from "../../../calls/executions/db/execution-store";
import { anEnd, aStart, systemClock } from "../../../calls/executions/execution.test-support";
import { createScratchDatabase, quietLogger } from "../../../platform/db/database.test-support";
import { hashDefinition } from "../../../platform/db/definition-hash";
import { openPostgres } from "../../../platform/db/postgres/postgres-database";
import {
  createScratchPostgres,
  HAS_POSTGRES,
  type ScratchPostgres,
} from "../../../platform/db/postgres/scratch-postgres.test-support";
import { AUDIT_TEST_KEY, anEntry, listSeqs } from "../audit.test-support";
import { createAuditChain } from "../audit-chain";
import { createDigestChain, createMarks } from "../execution-digest";
import { createExecutionDigester } from "../execution-digester";
import { verifyChain } from "../verify-chain";
import { verifyExecutions } from "../verify-executions";
import { createAuditStore } from "./audit-store";
import { createExecutionDigestStore } from "./digest-store";

const HOUR = 60 * 60_000;
const auditChain = createAuditChain(AUDIT_TEST_KEY);
const digestChain = createDigestChain(AUDIT_TEST_KEY);
const marks = createMarks(AUDIT_TEST_KEY);

describe.skipIf(!HAS_POSTGRES)("the audit log and digests on PostgreSQL", () => {
  let scratch: ScratchPostgres;
  beforeEach(async () => {
    scratch = await createScratchPostgres();
  });
  afterEach(() => scratch.remove());

  it("entries of several writers are one chain, which a statement cannot change", async () => {
    const second = await openPostgres({ url: scratch.url, logger: quietLogger() });
    const stores = [scratch.db, second].map((db) => createAuditStore({ db, chain: auditChain }));
    for (const store of stores) await store.begin();
    await Promise.all(
      Array.from({ length: 60 }, (_, at) => stores[at % 2]?.append(anEntry({ action: `action.${at}` }))),
    );
    await second.close();
    const [store] = stores as [(typeof stores)[number]];
    expect(await verifyChain(store, auditChain)).toMatchObject({ count: 60, broken: null });
    for (const sql of [`UPDATE "AuditEntry" SET "actorName" = 'Eve'`, 'DELETE FROM "AuditEntry" WHERE seq = 60']) {
      await expect(scratch.db.pool.query(sql)).rejects.toThrow(/never (changed|removed)/);
    }
    await scratch.db.pool.query('ALTER TABLE "AuditEntry" DISABLE TRIGGER USER');
    await scratch.db.pool.query(`UPDATE "AuditEntry" SET "actorName" = 'Eve' WHERE seq = 7`);
    expect((await verifyChain(store, auditChain)).broken).toMatchObject({ seq: 7 });
  });

  it("is listed by filter and by text in any case, newest first, with its filters' options", async () => {
    const store = createAuditStore({ db: scratch.db, chain: auditChain });
    await store.begin();
    await store.append(anEntry({ action: "tools.create", target: { kind: "tool", name: "Weather_100%" } }));
    await store.append(anEntry({ action: "servers.create", actor: { id: "bob", name: "Bob" }, target: null }));
    await store.append(anEntry({ action: "tools.delete", before: '{"note":"nul \0 here"}' }));
    const list = async (filter: Parameters<typeof store.list>[0]) =>
      listSeqs((await store.list(filter, undefined, 10)).items);
    expect(await list({})).toEqual([3, 2, 1]);
    expect(await list({ q: "weather_100%" })).toEqual([1]);
    expect(await list({ q: "100x" })).toEqual([]);
    expect(await list({ action: ["tools.create", "servers.create"], actor: ["bob"] })).toEqual([2]);
    expect(listSeqs((await store.list({}, 3, 1)).items)).toEqual([2]);
    expect((await store.readAfter(2, 10)).entries[0]?.before).toBe('{"note":"nul \0 here"}');
    expect(await store.facets()).toEqual({
      actors: [
        { id: "ada", name: "Ada" },
        { id: "bob", name: "Bob" },
      ],
      actions: ["servers.create", "tools.create", "tools.delete"],
      targets: ["tool"],
    });
  });

  it("is not new where a user, an execution or a digest is younger than the log", async () => {
    const values = "'exec_1', 'succeeded', 'echo', 'api', 'a', 'A', 'i', '{}'";
    const insertCall = (queuedAt: number) =>
      `INSERT INTO "Execution" (id, status, "toolName", source, "actorId", "actorName", "instanceId", arguments, "queuedAt") VALUES (${values}, ${queuedAt})`;
    const insertUser = (createdAt: string) =>
      `INSERT INTO "User" (id, name, email, role, "createdAt", "updatedAt") VALUES ('u', 'U', 'u@x.test', 'admin', ${createdAt}, now())`;
    const insertDigest = `INSERT INTO "ExecutionDigest" (seq, kind, at, "toSeq", open, marks, hash) VALUES (1, 'hour', 1, 0, '[]', '', 'x')`;
    const begins: [sql: string, damages: number][] = [
      ["SELECT 1", 0],
      [`${insertUser("'2020-01-01'")}; ${insertCall(1)}`, 0],
      [insertUser("now() + interval '1 hour'"), 1],
      [insertCall(Date.now() + 3_600_000), 1],
      [insertDigest, 1],
    ];
    for (const [sql, expected] of begins) {
      await scratch.db.pool.query(`ALTER TABLE "AuditEntry" DISABLE TRIGGER USER; DELETE FROM "AuditEntry"; DELETE FROM "Setting";
        DELETE FROM "User"; DELETE FROM "Execution"; DELETE FROM "ExecutionDigest"; ${sql}`);
      const damages: string[] = [];
      const onDamage = (damage: string) => damages.push(damage);
      await createAuditStore({ db: scratch.db, chain: auditChain, onDamage }).begin();
      expect([sql, damages.length]).toEqual([sql, expected]);
    }
  });

  it("a call has the same mark as on SQLite, so that a moved log stays proved", async () => {
    const sqlite = await createScratchDatabase();
    const start = aStart({
      validationSkipped: true,
      client: "c/1",
      validateMs: 0.1,
      argumentsText: '{"a":"ä\0\ue000"}',
    });
    const read = async (db: typeof sqlite.db | typeof scratch.db) => {
      const executions = createExecutionStore({ db, logger: quietLogger(), instanceId: "i", clock: systemClock });
      await executions.record(start, anEnd(start, { resultTruncated: true, resultBytes: 9_000_000_000 }));
      await executions.close();
      const [row] = await createExecutionDigestStore({ db, chain: digestChain, anchor: null }).read([1]);
      return row;
    };
    const rows = [await read(sqlite.db), await read(scratch.db)];
    await sqlite.remove();
    expect(rows[1]).toEqual(rows[0]);
    expect(rows.map((row) => row && marks.mark(row).toString("hex"))[1]).toBe(
      rows[0] && marks.mark(rows[0]).toString("hex"),
    );
  });

  it("digests tell what an admin deleted from what was deleted or changed otherwise", async () => {
    const digests = createExecutionDigestStore({ db: scratch.db, chain: digestChain, anchor: null });
    const executions = createExecutionStore({
      db: scratch.db,
      logger: quietLogger(),
      instanceId: "i",
      clock: systemClock,
      recordDeleted: digests.recordDeleted,
    });
    const queuedAt = Date.now() - 3 * HOUR;
    const starts = Array.from({ length: 60 }, () => aStart({ queuedAt }));
    for (const start of starts) await executions.record(start, anEnd(start));
    const now = () => Date.now();
    await createExecutionDigester({ store: digests, marks, now, isStopping: () => false })();
    const verify = () =>
      verifyExecutions({
        store: digests,
        chain: digestChain,
        marks,
        ends: [],
        claimers: new Set<string>(),
        localOwner: LOCAL_OWNER,
        hashDefinition,
      });
    expect(await verify()).toMatchObject({ intact: 60, broken: [] });
    const gone = starts.slice(0, 55).map(({ id }) => id);
    await executions.delete(gone, { actor: "Ada", at: 1, includePinned: true });
    expect(await verify()).toMatchObject({ intact: 5, deleted: 55, broken: [] });
    await scratch.db.pool.query(`UPDATE "Execution" SET result = '1' WHERE seq = 60`);
    await scratch.db.pool.query('DELETE FROM "Execution" WHERE seq = 59');
    expect((await verify()).broken).toEqual([
      expect.stringContaining("1 execution was changed outside"),
      expect.stringContaining("1 execution was removed outside"),
    ]);
    await executions.close();
  });
});
