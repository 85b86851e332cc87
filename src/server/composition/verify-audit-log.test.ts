import { readFileSync } from "node:fs";
import { rm } from "node:fs/promises";
import { expect, it, onTestFinished } from "vitest";
import { LOCAL_PRINCIPAL } from "../../lib/contract";
import { createSecretBox } from "../adapters/secret-box";
import { createScratchDatabase } from "../db/database.test-support";
import { describeDatabase } from "../db/describe-database";
import { createAuditStore } from "../db/sqlite/audit/audit-store";
import { NO_SECRETS } from "../features/audit/audit.test-support";
import { createAuditChain } from "../features/audit/audit-chain";
import { createAuditLog } from "../features/audit/audit-log";
import { AUDIT_KEY } from "./audit-parts";
import { describeVerdict, verifyAuditLog } from "./verify-audit-log";

async function open() {
  const scratch = await createScratchDatabase();
  onTestFinished(() => scratch.remove());
  const env = { database: describeDatabase(scratch.url, "/"), secretKey: null };
  const secretBox = await createSecretBox({ secretKey: null, keyFile: env.database.keyFile });
  const store = createAuditStore({ db: scratch.db, chain: createAuditChain(secretBox.derive(AUDIT_KEY)) });
  const log = createAuditLog({ store, now: Date.now, logger: { error: () => undefined }, masking: NO_SECRETS });
  const record = () => log.record({ by: LOCAL_PRINCIPAL, action: "test", target: null, outcome: "done" });
  return { scratch, env, record };
}

it("prints how many entries are intact, their range and the end to note down", async () => {
  const { env, record } = await open();
  expect(describeVerdict(await verifyAuditLog(env))).toBe("Intact: no entries.");
  for (let index = 0; index < 3; index += 1) await record();
  const text = describeVerdict(await verifyAuditLog(env));
  expect(text).toMatch(
    /^Intact: 3 entries, 20\S+Z to 20\S+Z\.\nEnd of the log, to note down elsewhere: 3:[0-9a-f]{64}$/,
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
