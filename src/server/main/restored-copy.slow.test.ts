import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import Sqlite from "../../../scripts/sqlite.mjs";
import { LOCAL_PRINCIPAL } from "../../lib/contract/access";
import { alertRuleInputSchema } from "../../lib/contract/alert";
import { serverSettingsSchema } from "../../lib/contract/server";
import { suiteInputSchema } from "../../lib/contract/suite";
import { waitUntil } from "../../lib/wait-until.test-support";
import {
  administer,
  createPostgresDatabase,
  HAS_POSTGRES,
  nameDatabase,
} from "../platform/db/postgres/scratch-postgres.test-support";
import { callAs } from "./api/call-as";
import { backupDatabase, restoreBackup } from "./backup-database";
import { type Container, createContainer } from "./container";
import { type Env, readEnv } from "./env";
import { isIntact, verifyAuditLog } from "./verify-audit-log";

const BY = LOCAL_PRINCIPAL;
const HOUR_MS = 3_600_000;
/** Work that reads and writes the database alone. Another kind may run at a paused server only once it is named here. */
const STAYS_INSIDE = ["clock.watch", "executions.digest", "statistics"];

interface Outside {
  url: string;
  /** What was asked of it, by path. */
  requests: string[];
}

const toTelemetryVariables = (url: string): Record<string, string> => ({
  OTEL_EXPORTER_OTLP_ENDPOINT: `${url}/otlp`,
  OTEL_METRIC_EXPORT_INTERVAL: "100",
  OTEL_BSP_SCHEDULE_DELAY: "50",
});

/** All that is outside of the server: a receiver of webhooks, an MCP server, a collector. */
async function startOutside(): Promise<Outside> {
  const requests: string[] = [];
  const server = createServer(async (request, response) => {
    requests.push(request.url ?? "");
    let text = "";
    for await (const chunk of request) text += chunk;
    if (request.url !== "/mcp") return void response.writeHead(request.url === "/broken" ? 500 : 200).end("{}");
    if (request.method !== "POST") return void response.writeHead(405).end();
    const { id, method, params = {} } = JSON.parse(text);
    if (id === undefined) return void response.writeHead(202).end();
    const tools = { tools: [{ name: "ring", inputSchema: { type: "object" } }] };
    const opened = {
      protocolVersion: params.protocolVersion,
      capabilities: { tools: {} },
      serverInfo: { name: "outside", version: "1" },
    };
    const result = { initialize: opened, "tools/list": tools }[method as string] ?? {
      content: [{ type: "text", text: "rung" }],
    };
    response.writeHead(200, { "content-type": "application/json" });
    response.end(JSON.stringify({ jsonrpc: "2.0", id, result }));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  // OpenTelemetry's exporters read the environment themselves.
  for (const [name, value] of Object.entries(toTelemetryVariables(url))) vi.stubEnv(name, value);
  onTestFinished(() => void vi.unstubAllEnvs());
  return { url, requests };
}

function createTool(name: string, handler: string, more: object = {}): object {
  const implementation = { type: "builtin", handler };
  const parameters = { type: "object" };
  return Object.assign({ name, description: name, type: "function", handler, parameters, implementation }, more);
}

function createFolder(): string {
  const folder = mkdtempSync(path.join(tmpdir(), "toolroom-restored-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  writeFileSync(
    path.join(folder, "toolroom.json"),
    JSON.stringify({
      tools: {
        registry: [
          createTool("broken", "none"),
          createTool("wipe", "echo", { annotations: { destructiveHint: true } }),
        ],
      },
    }),
  );
  return folder;
}

function describeServer(url: string, folder: string, outside: Outside): Env {
  return readEnv({
    DATABASE_URL: url,
    TOOLROOM_LOG_LEVEL: "silent",
    TOOLROOM_CONFIG: path.join(folder, "toolroom.json"),
    TOOLROOM_SECRET_KEY: "5".repeat(64),
    ...toTelemetryVariables(outside.url),
  });
}

/** @param address where it serves: several processes share a database of PostgreSQL then */
async function start(env: Env, address?: string): Promise<Container> {
  const container = await createContainer(env, address === undefined ? {} : { address });
  onTestFinished(() => container.close());
  return container;
}

/** Creates one of each kind of background work, due at once or soon. */
async function fill({ services }: Container, outside: Outside): Promise<void> {
  const { webhooks, suites, alerts, retention, servers, executions } = services;
  await servers.create(
    BY,
    serverSettingsSchema.parse({ name: "outside", transport: "http", url: `${outside.url}/mcp` }) as never,
  );
  await waitUntil(() => expect(servers.get("outside").state.status).toBe("connected"));
  const webhook = {
    description: "",
    events: ["execution.failed", "suite.failed", "alert.fired"] as never[],
    tools: [],
    enabled: true,
    approverId: null,
  };
  // Its delivery is tried again for a day.
  await webhooks.create(BY, { ...webhook, url: `${outside.url}/broken` });
  await webhooks.create(BY, { ...webhook, url: `${outside.url}/hook` });
  await suites.create(
    BY,
    suiteInputSchema.parse({
      name: "nightly",
      tests: [{ name: "rings", tool: "outside__ring" }],
      schedule: { everyMs: HOUR_MS },
    }),
  );
  await alerts.createRule(
    BY,
    alertRuleInputSchema.parse({
      name: "failing",
      kind: "failure_rate",
      threshold: 1,
      minCalls: 1,
      windowMinutes: 1_440,
    }),
  );
  await executions.run(BY, { tool: "broken", argumentsText: "{}" });
  await waitUntil(() => expect(outside.requests).toContain("/broken"));
  void executions.run(BY, { tool: "wipe", argumentsText: "{}" }).catch(() => undefined);
  await waitUntil(async () => expect((await services.approvals.count()).open).toBe(1));
  await retention.save(BY, { rules: [{ scope: "other", maxCount: 1 }] } as never, 0);
}

/** Makes what was scheduled due, as a backup of last night is. */
function makeDue(file: string): void {
  const raw = new Sqlite(file);
  raw.exec(
    `UPDATE "Suite" SET "nextRunAt" = 1; UPDATE "WebhookDelivery" SET "nextAt" = 1 WHERE "nextAt" IS NOT NULL;
      UPDATE "Approval" SET status = 'approved', "decidedAt" = 1, "deciderId" = 'ada', "deciderName" = 'Ada'`,
  );
  raw.close();
}

async function findStatus({ services }: Container, tool: string): Promise<string | undefined> {
  const { items } = await services.executions.list({}, undefined, 50);
  return items.find(({ toolName }) => toolName === tool)?.status;
}

/** Asks every kind of job to run now. @returns the kinds that did */
async function runAllJobs({ services: { jobs } }: Container): Promise<string[]> {
  const kinds = (await jobs.list(BY)).map(({ kind }) => kind);
  const started: string[] = [];
  for (const kind of kinds) {
    const outcome = await jobs.runNow(BY, { kind }).catch((error: Error) => error);
    if (!(outcome instanceof Error)) started.push(kind);
  }
  return started;
}

describe("a restored copy", () => {
  it("starts paused: nothing of it acts, every page, program and the audit log say so, until an admin resumes it", {
    timeout: 120_000,
  }, async () => {
    const outside = await startOutside();
    const home = createFolder();
    const original = await createContainer(describeServer(`file:${path.join(home, "toolroom.db")}`, home, outside));
    await fill(original, outside);
    const saved = path.join(home, "saved.db");
    await backupDatabase(`file:${path.join(home, "toolroom.db")}`, home, saved);
    await original.close();
    makeDue(saved);

    const drill = createFolder();
    const env = describeServer(`file:${path.join(drill, "toolroom.db")}`, drill, outside);
    await restoreBackup(env.database.url, drill, saved);
    outside.requests.length = 0;
    const copy = await start(env);
    const { services } = copy;
    expect(await services.system.info()).toMatchObject({ paused: { reason: "restored", source: "saved.db" } });
    expect(await runAllJobs(copy)).toEqual(STAYS_INSIDE);
    expect(services.servers.get("outside").state).toMatchObject({ status: "disabled", reason: /paused/ });
    await expect(services.servers.reconnect(BY, "outside")).rejects.toThrow(/paused/);
    const refused = await services.executions.run(BY, { tool: "outside__ring", argumentsText: "{}" });
    expect(refused).toMatchObject({ status: "failed", error: expect.stringMatching(/toolroom resume/) });
    // A webhook and an alert would follow each of these.
    await services.executions.run(BY, { tool: "broken", argumentsText: "{}" });
    // Later than anything that was due.
    await waitUntil(async () => {
      const queues = await services.jobs.list(BY);
      for (const kind of STAYS_INSIDE) expect(queues.find((each) => each.kind === kind)?.lastRunAt).not.toBeNull();
    });
    expect(outside.requests).toEqual([]);
    expect((await services.suites.runs({})).items).toEqual([]);
    expect((await services.executions.list({}, undefined, 50)).items).toHaveLength(4);
    expect(await findStatus(copy, "wipe")).toBe("waiting");

    const entries = await services.auditLog.list(BY, {}, undefined, 50);
    const actions = entries.items.map(({ action }) => action);
    expect(actions).toContain("database.restored");
    expect(actions).not.toContain("audit.damaged");

    await callAs(copy, BY).system.resume();
    await waitUntil(() => expect(new Set(outside.requests)).toEqual(new Set(EVERYTHING)), { timeoutMs: 60_000 });
    await waitUntil(async () => expect(await findStatus(copy, "wipe")).toBe("succeeded"));
    expect(await services.system.info()).toMatchObject({ paused: null });
    expect((await services.auditLog.list(BY, {}, undefined, 50)).items.map(({ action }) => action)).toContain(
      "system.resume",
    );
    await expect(services.system.resume(BY)).rejects.toThrow(/not paused/);
    await copy.close();
    expect(isIntact(await verifyAuditLog(env))).toBe(true);
    const again = await start(env);
    expect(await again.services.system.info()).toMatchObject({ paused: null });
  });
});

const EVERYTHING = ["/mcp", "/hook", "/broken", "/otlp/v1/traces", "/otlp/v1/metrics"];

describe.skipIf(!HAS_POSTGRES)("a database of PostgreSQL", () => {
  it("that was copied starts paused for all copies of the server, and the original does not", {
    timeout: 120_000,
  }, async () => {
    const outside = await startOutside();
    const { url, remove } = await createPostgresDatabase({ migrated: true });
    onTestFinished(remove);
    const folder = createFolder();
    const original = await createContainer(describeServer(url, folder, outside));
    await fill(original, outside);
    await original.close();
    const name = `${new URL(url).pathname.slice(1)}_copy`;
    await administer(
      nameDatabase(url, "postgres"),
      `CREATE DATABASE "${name}" TEMPLATE "${new URL(url).pathname.slice(1)}"`,
    );
    onTestFinished(() => administer(nameDatabase(url, "postgres"), `DROP DATABASE "${name}" WITH (FORCE)`));

    outside.requests.length = 0;
    const drill = createFolder();
    const env = describeServer(nameDatabase(url, name), drill, outside);
    const copy = await start(env, "http://127.0.0.1:1");
    const other = await start(env, "http://127.0.0.1:2");
    for (const { services } of [copy, other]) {
      expect(await services.system.info()).toMatchObject({ paused: { reason: "copied" } });
    }
    expect(await runAllJobs(copy)).toEqual(STAYS_INSIDE);
    await copy.services.executions.run(BY, { tool: "broken", argumentsText: "{}" });
    expect(outside.requests).toEqual([]);
    const actions = (await copy.services.auditLog.list(BY, {}, undefined, 50)).items.map(({ action }) => action);
    expect(actions.filter((action) => action === "database.restored")).toHaveLength(1);

    await copy.services.system.resume(BY);
    await waitUntil(() => expect(outside.requests).toEqual(expect.arrayContaining(["/mcp", "/hook"])), {
      timeoutMs: 60_000,
    });
    await waitUntil(async () => expect(await other.services.system.info()).toMatchObject({ paused: null }));
    await Promise.all([copy.close(), other.close()]);
    const again = await start(env);
    expect(await again.services.system.info()).toMatchObject({ paused: null });
    const first = await start(describeServer(url, folder, outside));
    expect(await first.services.system.info()).toMatchObject({ paused: null });
  });
});
