import { readFileSync, writeFileSync } from "node:fs";
import { rm } from "node:fs/promises";
import { expect, it, onTestFinished, vi } from "vitest";
import { LOCAL_PRINCIPAL } from "../../lib/contract/access";
import { NO_SECRETS } from "../features/audit/audit.test-support";
import { openAnchor } from "../features/audit/audit-anchor";
import { createAuditChain } from "../features/audit/audit-chain";
import { createAuditLog } from "../features/audit/audit-log";
import { createAuditStore } from "../features/audit/db/audit-store";
import { createSecretBox } from "../platform/auth/secret-box";
import { createSmallFile } from "../platform/config/small-file";
import { createScratchDatabase } from "../platform/db/database.test-support";
import { describeDatabase } from "../platform/db/describe-database";
import { AUDIT_KEYS } from "./audit-parts";
import { describeVerdict, isIntact, verifyAuditLog } from "./verify-audit-log";

async function open() {
  const scratch = await createScratchDatabase();
  onTestFinished(() => scratch.remove());
  const env = { database: describeDatabase(scratch.url, "/"), secretKey: null };
  const secretBox = await createSecretBox({ secretKey: null, keyFile: env.database.keyFile });
  const logger = { info: vi.fn(), error: vi.fn() };
  async function restart() {
    const anchor = openAnchor({
      file: createSmallFile(env.database.anchorFile),
      key: secretBox.derive(AUDIT_KEYS.anchor),
      now: Date.now,
      logger,
    });
    const chain = createAuditChain(secretBox.derive(AUDIT_KEYS.log));
    const store = createAuditStore({ db: scratch.db, chain, anchor });
    await store.begin();
    await anchor.flush();
    const log = createAuditLog({ store, now: Date.now, logger: { error: () => undefined }, masking: NO_SECRETS });
    const record = () => log.record({ by: LOCAL_PRINCIPAL, action: "test", target: null, outcome: "done" });
    return { record, anchor };
  }
  return { scratch, env, logger, restart, ...(await restart()) };
}

it("prints how many entries are intact, their range and the end to note down", async () => {
  const { env, record } = await open();
  expect(describeVerdict(await verifyAuditLog(env))).toBe("Intact: no entries.\nExecutions: 0 as recorded.");
  for (let index = 0; index < 3; index += 1) await record();
  const text = describeVerdict(await verifyAuditLog(env));
  expect(text).toMatch(
    /^Intact: 3 entries, 20\S+Z to 20\S+Z\.\nExecutions: 0 as recorded\.\nEnd of the log, to note down elsewhere: 3:[0-9a-f]{64}$/,
  );
  const end = text.slice(text.lastIndexOf(" ") + 1);
  await record();
  expect((await verifyAuditLog(env, end)).broken).toBeNull();
});

it("names the first broken entry", async () => {
  const { scratch, env, record } = await open();
  for (let index = 0; index < 3; index += 1) await record();
  scratch.db.raw.exec(
    `DROP TRIGGER "AuditEntry_no_update"; UPDATE "AuditEntry" SET "action" = 'other' WHERE "seq" = 2`,
  );
  expect(describeVerdict(await verifyAuditLog(env))).toMatch(
    /^BROKEN at entry 2: it was changed.*\nIntact before it: 1 entry, /,
  );
});

it("finds that everything was removed, that the anchor is gone or changed, and names executions that were changed", async () => {
  const { scratch, env, record, anchor, logger } = await open();
  for (let index = 0; index < 3; index += 1) await record();
  await anchor.flush();
  expect(isIntact(await verifyAuditLog(env))).toBe(true);
  const end = logger.info.mock.calls.at(-1)?.[0].auditEnd as string;
  expect(end).toMatch(/^3:[0-9a-f]{64}$/);
  scratch.db.raw.exec(`DROP TRIGGER "AuditEntry_no_delete"; SAVEPOINT all_there; DELETE FROM "AuditEntry";
    DELETE FROM "Setting" WHERE "key" = 'audit.head'; RELEASE all_there`);
  const emptied = await verifyAuditLog(env);
  expect([isIntact(emptied), describeVerdict(emptied)]).toEqual([
    false,
    expect.stringContaining("BROKEN at entry 1: the sealed end of the log is missing"),
  ]);

  const other = await open();
  await other.record();
  await other.anchor.flush();
  const text = readFileSync(other.env.database.anchorFile, "utf8");
  writeFileSync(other.env.database.anchorFile, text.replace(/"seq":\d+/, '"seq":0'));
  expect(describeVerdict(await verifyAuditLog(other.env))).toMatch(/BROKEN: the anchor file \S+ was changed/);
  await rm(other.env.database.anchorFile);
  const gone = await verifyAuditLog(other.env);
  expect([isIntact(gone), gone.anchor]).toEqual([false, expect.stringContaining("is missing: put it back")]);
  // A copy without the file is checked against what was noted down.
  const { last } = gone;
  expect(isIntact(await verifyAuditLog(other.env, `${last?.seq}:${last?.hash}`))).toBe(true);
});

it("says what is missing: the database, the key, a readable end", async () => {
  const { env, record } = await open();
  await record();
  await expect(verifyAuditLog(env, "412")).rejects.toThrow("'412' is not the end of a log");
  const key = readFileSync(env.database.keyFile, "utf8");
  await rm(env.database.keyFile);
  await expect(verifyAuditLog(env)).rejects.toThrow("The key is missing");
  expect((await verifyAuditLog({ ...env, secretKey: key })).broken).toBeNull();
  const elsewhere = describeDatabase("file:/nowhere/toolroom.db", "/");
  await expect(verifyAuditLog({ ...env, database: elsewhere })).rejects.toThrow("There is no database");
});

const LATER = Date.now() + 60_000;
const EARLIER = Date.UTC(2020, 0, 1);
const insertUser = (createdAt: number): string =>
  `INSERT INTO "User" (id, name, email, role, "createdAt", "updatedAt") VALUES ('ada', 'Ada', 'a@x.test', 'admin', ${createdAt}, 0)`;
const insertExecution = (queuedAt: number): string =>
  `INSERT INTO "Execution" (id, status, "toolName", source, "actorId", "actorName", "queuedAt", "instanceId", arguments)
   VALUES ('exec_1', 'succeeded', 'echo', 'api', 'ada', 'Ada', ${queuedAt}, 'i', '{}')`;

it.each([
  ["a user", insertUser(LATER)],
  ["an execution", insertExecution(LATER)],
  [
    "a digest",
    `INSERT INTO "ExecutionDigest" (seq, kind, at, "toSeq", open, marks, hash) VALUES (1, 'hour', 1, 0, '[]', x'', 'x')`,
  ],
])("finds for ever that a log was erased with its anchor, where the database has %s", async (_what, insert) => {
  const { scratch, env, record, anchor, restart } = await open();
  await record();
  await anchor.flush();
  scratch.db.raw.exec(`${insert}; DROP TRIGGER "AuditEntry_no_delete"; DELETE FROM "AuditEntry";
    DELETE FROM "Setting" WHERE "key" IN ('audit.head', 'executions.head')`);
  await rm(env.database.anchorFile);
  expect(isIntact(await verifyAuditLog(env))).toBe(false);
  // A server that starts and stops seals a log again.
  for (let start = 0; start < 2; start += 1) {
    const again = await restart();
    await again.record();
    await again.anchor.flush();
  }
  const verdict = await verifyAuditLog(env);
  expect(verdict.broken).toEqual({ seq: 1, reason: "it was removed: entry 2 follows entry 0" });
  expect(scratch.db.raw.prepare('SELECT error FROM "AuditEntry" WHERE seq = 2').pluck().get()).toMatch(/it was erased/);
  expect(scratch.db.raw.prepare(`SELECT count(*) FROM "AuditEntry" WHERE action = 'audit.damaged'`).pluck().get()).toBe(
    1n,
  );
});

it("begins for a database of a version without a log, whatever that one recorded", async () => {
  const { scratch, env, restart } = await open();
  scratch.db.raw.exec(
    `${insertUser(EARLIER)}; ${insertExecution(EARLIER)}; DELETE FROM "Setting" WHERE "key" = 'audit.head'`,
  );
  await rm(env.database.anchorFile);
  const first = await restart();
  await first.record();
  await first.anchor.flush();
  expect(await verifyAuditLog(env)).toMatchObject({ count: 1, broken: null, anchor: null });
});
