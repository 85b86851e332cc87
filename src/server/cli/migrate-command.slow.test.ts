import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, readFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import Database from "../../../scripts/sqlite.mjs";
import { LOCAL_PRINCIPAL } from "../../lib/contract/access";
import { runSettingsSchema } from "../../lib/contract/run";
import { waitUntil } from "../../lib/wait-until.test-support";
import { callAs } from "../main/api/call-as";
import { createContainer } from "../main/container";
import { readEnv } from "../main/env";
import { isIntact, verifyAuditLog } from "../main/verify-audit-log";
import {
  administer,
  createPostgresDatabase,
  HAS_POSTGRES,
} from "../platform/db/postgres/scratch-postgres.test-support";
import { runWords } from "./commands.test-support";

const BY = LOCAL_PRINCIPAL;
const NEEDLE = 'needle "ö" \u{1f600} \\n';
const COPIES = 9_000;
/** So long ago the first calls began. */
const SINCE_MS = 7_200_000;
const API_KEY = "sk-of-the-provider";
const TOOL = {
  type: "function",
  name: "own",
  description: "Own",
  handler: "own",
  parameters: { type: "object" },
  implementation: { type: "mock", mock_response: "done" },
};

let folder: string;
let source: string;
let postgres: { url: string; remove(): Promise<void> };
let runId: string;
let key: string;
/** The keys that the provider's API received. */
const given: unknown[] = [];
const api = createServer((request, response) => {
  given.push(request.headers.authorization);
  response.end('{"data":[{"id":"m"}]}');
});

function toEnv(url: string, secretKey?: string) {
  return readEnv({
    DATABASE_URL: url,
    TOOLROOM_DATA: folder,
    TOOLROOM_LOG_LEVEL: "silent",
    TOOLROOM_CONFIG: path.join(folder, "none.json"),
    TOOLROOM_SHUTDOWN_GRACE_MS: "50",
    TOOLROOM_PRIVATE_ADDRESSES: "allow",
    ...(secretKey === undefined ? {} : { TOOLROOM_SECRET_KEY: secretKey }),
  });
}

const LONG = { timeoutMs: 120_000 };

const toVariables = (from: string, secretKey: string) => ({
  DATABASE_URL: from,
  TOOLROOM_DATA: folder,
  TOOLROOM_SECRET_KEY: secretKey,
});

/** Starts the command as a user does. */
function spawnMove(from: string, to: string): ChildProcess {
  const args = ["scripts/toolroom.mjs", "migrate", "--to", to];
  return spawn(process.execPath, args, { stdio: "ignore", env: { ...process.env, ...toVariables(from, key) } });
}

const runMove = (from: string, to: string, secretKey = key) =>
  runWords(["migrate", "--json", "--to", to], { env: toVariables(from, secretKey), cwd: folder });

/** Data of each kind that a move could lose: calls, a run, an encrypted key, entries of the audit log and marks of the calls. */
async function makeData(): Promise<void> {
  const first = await createContainer(toEnv(source));
  const { executions, runs } = first.services;
  const caller = callAs(first, BY);
  await caller.tools.create({ definition: JSON.stringify(TOOL) });
  const baseUrl = `http://127.0.0.1:${(api.address() as AddressInfo).port}/v1`;
  const provider = { name: "acme", kind: "openai" as const, baseUrl, apiKey: API_KEY, models: ["m"], prices: [] };
  await caller.models.createProvider({ provider });
  for (const note of ["one", NEEDLE]) {
    await executions.run(BY, { tool: "own", argumentsText: JSON.stringify({ note }) });
  }
  const settings = runSettingsSchema.parse({ provider: "demo", model: "demo", tools: { mode: "none" } });
  ({ id: runId } = await caller.runs.start({ settings, text: "Hello" }));
  await waitUntil(async () => expect((await runs.get(runId)).status).toBe("succeeded"));
  await first.close();
  const raw = new Database(source.slice("file:".length));
  // Digests cover hours that are over, so these calls began in an earlier hour.
  raw.exec(`UPDATE "Execution" SET "queuedAt" = "queuedAt" - ${SINCE_MS}, "finishedAt" = "finishedAt" - ${SINCE_MS}`);
  raw.close();
  const second = await createContainer(toEnv(source));
  await second.services.jobs.runNow(BY, { kind: "executions.digest" });
  await waitUntil(async () => expect((await verifyAuditLog(toEnv(source))).executions?.intact).toBe(2));
  await second.close();
}

/** More calls, so that a move takes a while. */
function addCalls(): void {
  const raw = new Database(source.slice("file:".length));
  const columns = (raw.pragma(`table_info("Execution")`) as { name: string }[]).map(({ name }) => name);
  const copied = columns
    .filter((name) => !["seq", "id", "searchable", "result", "queuedAt", "finishedAt"].includes(name))
    .map((name) => `"${name}"`);
  // In the hour that is not over: calls that are added to a marked hour are named as such.
  const times = `"queuedAt" + ${SINCE_MS}, "finishedAt" + ${SINCE_MS}`;
  raw.exec(`WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${COPIES})
    INSERT INTO "Execution" (id, searchable, result, "queuedAt", "finishedAt", ${copied})
    SELECT 'exec_copy' || i, 0, '"' || hex(zeroblob(600)) || '"', ${times}, ${copied}
    FROM n, (SELECT * FROM "Execution" WHERE seq = 1)`);
  // The journal notes a call that ends for the statistics.
  raw.exec(
    `INSERT INTO "UncountedExecution" (seq) SELECT seq FROM "Execution" WHERE id LIKE 'exec\\_copy%' ESCAPE '\\'`,
  );
  raw.close();
}

/** Reads on a server what was there before the moves. */
async function expectWhole(url: string): Promise<void> {
  const env = toEnv(url, key);
  const server = await createContainer(env);
  const { services } = server;
  expect((await services.executions.counts()).executions).toBe(COPIES + 2);
  const found = await services.executions.list({ q: "needle" }, undefined, 50);
  expect(found.items.map(({ toolName }) => toolName)).toEqual(["own"]);
  expect(await services.executions.get(found.items[0]?.id ?? "")).toMatchObject({
    status: "succeeded",
    argumentsText: JSON.stringify({ note: NEEDLE }),
    resultText: '"done"',
  });
  const { events } = await services.runs.get(runId);
  expect(events.length).toBeGreaterThan(2);
  given.length = 0;
  expect(await services.models.testProvider(BY, "acme")).toMatchObject({ models: ["m"] });
  expect(new Set(given)).toEqual(new Set([`Bearer ${API_KEY}`]));
  // The next entry follows the last one that was moved.
  const ran = await services.executions.run(BY, { tool: "own", argumentsText: "{}" });
  expect(ran.status).toBe("succeeded");
  await callAs(server, BY).executions.delete({ ids: [ran.id], includePinned: false });
  await server.close();
  const verdict = await verifyAuditLog(env);
  expect([isIntact(verdict), verdict.anchor, verdict.executions?.intact]).toEqual([true, null, 2]);
  expect(verdict.count).toBeGreaterThan(3);
}

describe.skipIf(!HAS_POSTGRES)("toolroom migrate", () => {
  beforeAll(async () => {
    folder = mkdtempSync(path.join(tmpdir(), "toolroom-migrate-"));
    source = `file:${path.join(folder, "toolroom.db")}`;
    api.listen(0, "127.0.0.1");
    await once(api, "listening");
    postgres = await createPostgresDatabase({ migrated: true });
    await makeData();
    key = readFileSync(path.join(folder, "toolroom.db.key"), "utf8").trim();
    addCalls();
  }, 60_000);
  afterAll(async () => {
    api.close();
    await postgres.remove();
  });

  it("refuses a missing or another key and a database that a server uses, and says what to do", async () => {
    const none = await runMove(source, postgres.url, "");
    expect(none.code).toBe(4);
    expect(none.stderr).toContain(`export TOOLROOM_SECRET_KEY="$(cat '${path.join(folder, "toolroom.db.key")}')"`);
    const other = await runMove(source, postgres.url, "another key than that of the source");
    expect([other.code, other.stderr]).toEqual([4, expect.stringContaining("is not the key of file:")]);
    const server = await createContainer(toEnv(source), { address: "http://127.0.0.1:4321" });
    const used = await runMove(source, postgres.url);
    await server.close();
    expect([used.code, used.stderr]).toEqual([
      4,
      expect.stringMatching(/in use by the Toolroom at http:\/\/127\.0\.0\.1:4321 .*toolroom backup/),
    ]);
  }, 60_000);

  it("goes on where it was killed, and a server on PostgreSQL has calls, runs, secrets and an intact audit log; so has one on the way back", async () => {
    const before = readFileSync(path.join(folder, "toolroom.db"));
    const client = new pg.Client({ connectionString: postgres.url });
    client.on("error", () => undefined);
    await client.connect();
    const countMoved = async (table: string): Promise<number> => {
      const { rows } = await client
        .query("SELECT rows FROM _toolroom_move WHERE name = $1", [table])
        .catch(() => ({ rows: [] }));
      return Number(rows[0]?.rows ?? 0);
    };
    /** Kills the command while it waits for a lock. */
    const killAt = async (lock: string): Promise<void> => {
      await client.query(`BEGIN; ${lock}`);
      const child = spawnMove(source, postgres.url);
      const { rows: own } = await client.query("SELECT pg_backend_pid() AS pid");
      await waitUntil(async () => {
        const { rows } = await client.query(
          "SELECT 1 FROM pg_locks WHERE NOT granted AND $1 = ANY (pg_blocking_pids(pid))",
          [own[0].pid],
        );
        expect(rows).toHaveLength(1);
      }, LONG);
      child.kill("SIGKILL");
      await once(child, "close");
      await client.query("ROLLBACK");
      await waitUntil(async () => {
        const { rows } = await client.query(
          "SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid() AND backend_type = 'client backend'",
        );
        expect(rows).toHaveLength(0);
      });
    };

    // In the middle of a table.
    await administer(
      postgres.url,
      `CREATE FUNCTION wait_here() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN PERFORM pg_advisory_xact_lock(NEW.seq); RETURN NEW; END $$;
       CREATE TRIGGER wait BEFORE INSERT ON "Execution" FOR EACH ROW WHEN (NEW.seq = 3000) EXECUTE FUNCTION wait_here()`,
    );
    await killAt("SELECT pg_advisory_xact_lock(3000)");
    const part = await countMoved("Execution");
    expect([part > 0, part < 3_000]).toEqual([true, true]);
    await expect(createContainer(toEnv(postgres.url, key))).rejects.toThrow(/whose move has not ended/);
    // While rows are compared, and before the end is noted.
    await killAt('LOCK TABLE "WebhookDelivery" IN ACCESS EXCLUSIVE MODE');
    expect(await countMoved("Execution")).toBe(COPIES + 2);
    await killAt("LOCK TABLE _toolroom_move IN SHARE MODE");
    await administer(postgres.url, 'DROP TRIGGER wait ON "Execution"; DROP FUNCTION wait_here()');
    const there = await runMove(source, postgres.url);
    expect([there.code, there.stderr]).toEqual([0, expect.not.stringContaining("password")]);
    const moved = JSON.parse(there.stdout);
    expect(moved.tables).toContainEqual({ name: "Execution", rows: COPIES + 2, checksum: expect.any(String) });
    expect(readFileSync(path.join(folder, "toolroom.db")).equals(before)).toBe(true);
    await client.end();
    const again = await runMove(source, postgres.url);
    expect([again.code, again.stderr]).toEqual([4, expect.stringMatching(/is not empty/)]);
    await expectWhole(postgres.url);

    const back = path.join(folder, "back.db");
    const killed = spawnMove(postgres.url, back);
    const isBegun = (): void => {
      expect(existsSync(back)).toBe(true);
      const raw = new Database(back, { readonly: true });
      try {
        expect(raw.prepare("SELECT rows FROM _toolroom_move WHERE name = 'Execution'").pluck().get()).toBeGreaterThan(
          0,
        );
      } finally {
        raw.close();
      }
    };
    await waitUntil(isBegun, LONG);
    killed.kill("SIGKILL");
    await once(killed, "close");
    const returned = await runMove(postgres.url, `file:${back}`);
    expect([returned.code, returned.stderr]).toEqual([0, expect.any(String)]);
    await expectWhole(`file:${back}`);
  }, 300_000);
});
