import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import Sqlite from "../../../scripts/sqlite.mjs";
import { LOCAL_PRINCIPAL } from "../../lib/contract/access";
import { suiteInputSchema } from "../../lib/contract/suite";
import { waitUntil } from "../../lib/wait-until.test-support";
import {
  administer,
  createPostgresDatabase,
  HAS_POSTGRES,
} from "../platform/db/postgres/scratch-postgres.test-support";
import { type Container, createContainer } from "./container";
import { readEnv } from "./env";

const BY = LOCAL_PRINCIPAL;
const HOUR_MS = 3_600_000;
const AHEAD_MS = 8 * HOUR_MS;
/** What a start whose clock is 8 hours ahead stores instead. */
const SET_AHEAD = [
  `UPDATE "Suite" SET "nextRunAt" = "nextRunAt" + ${AHEAD_MS}`,
  `UPDATE "WebhookDelivery" SET "nextAt" = "nextAt" + ${AHEAD_MS} WHERE "nextAt" IS NOT NULL`,
  `UPDATE "Approval" SET "requestedAt" = "requestedAt" + ${AHEAD_MS}, "expiresAt" = "expiresAt" + ${AHEAD_MS}`,
  `UPDATE "Setting" SET "value" = '${Date.now() + AHEAD_MS}' WHERE "key" = 'clock.newest'`,
];

function createTool(name: string, handler: string, more: object = {}): object {
  return {
    name,
    description: name,
    type: "function",
    handler,
    parameters: { type: "object" },
    implementation: { type: "builtin", handler },
    ...more,
  };
}

async function startFailingReceiver(): Promise<string> {
  const server = createServer((_request, response) => void response.writeHead(500).end());
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
}

function createStart(url: string): () => Promise<Container> {
  const folder = mkdtempSync(path.join(tmpdir(), "toolroom-clock-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const config = path.join(folder, "toolroom.json");
  const registry = [
    createTool("broken", "none"),
    createTool("wipe", "echo", { annotations: { destructiveHint: true } }),
  ];
  writeFileSync(config, JSON.stringify({ tools: { registry } }));
  const env = readEnv({
    DATABASE_URL: url === "" ? `file:${path.join(folder, "toolroom.db")}` : url,
    TOOLROOM_LOG_LEVEL: "silent",
    TOOLROOM_CONFIG: config,
    TOOLROOM_SECRET_KEY: "5".repeat(64),
  });
  return async () => {
    const container = await createContainer(env);
    onTestFinished(() => container.close());
    return container;
  };
}

async function expectWithinRules(url: string, setAhead: (file: string) => Promise<void>): Promise<void> {
  const start = createStart(url);
  const first = await start();
  const { suites, webhooks, executions, approvals, jobs, system } = first.services;
  const receiver = await startFailingReceiver();
  const { id: webhookId } = await webhooks.create(BY, {
    url: receiver,
    description: "",
    events: ["execution.failed"],
    tools: [],
    enabled: true,
    approverId: null,
  });
  await suites.create(
    BY,
    suiteInputSchema.parse({ name: "hourly", tests: [{ name: "t", tool: "broken" }], schedule: { everyMs: HOUR_MS } }),
  );
  await suites.create(
    BY,
    suiteInputSchema.parse({
      name: "cron",
      tests: [{ name: "t", tool: "broken" }],
      schedule: { cron: "*/5 * * * *", timeZone: "UTC" },
    }),
  );
  await executions.run(BY, { tool: "broken", argumentsText: "{}" });
  await waitUntil(async () => expect(await webhooks.deliveries(BY, webhookId)).toMatchObject([{ attempts: 1 }]));
  void executions.run(BY, { tool: "wipe", argumentsText: "{}" }).catch(() => undefined);
  await waitUntil(async () => expect((await approvals.count()).open).toBe(1));
  const { expiresAt, requestedAt } = (await approvals.list("open", undefined, 10)).items[0] ?? {
    expiresAt: 0,
    requestedAt: 0,
  };
  await jobs.runNow(BY, { kind: "clock.watch" });
  await waitUntil(async () => {
    const queues = await jobs.list(BY);
    expect(queues.find(({ kind }) => kind === "clock.watch")?.lastRunAt).not.toBeNull();
  });
  const { databaseUrl } = await system.info();
  await first.close();
  await setAhead(databaseUrl);

  const second = await start();
  const at = Date.now();
  await second.services.jobs.runNow(BY, { kind: "clock.watch" });
  const SLACK_MS = 60_000;
  await waitUntil(async () => {
    const suites = await second.services.suites.list();
    const next = Object.fromEntries(suites.map(({ name, nextRunAt }) => [name, nextRunAt ?? 0]));
    expect(next.hourly).toBeLessThanOrEqual(at + HOUR_MS + SLACK_MS);
    expect(next.cron).toBeLessThanOrEqual(at + 5 * 60_000 + SLACK_MS);
    const [delivery] = await second.services.webhooks.deliveries(BY, webhookId);
    // A retry may have come first.
    expect(delivery?.nextAt).toBeLessThanOrEqual(at + HOUR_MS);
    const [open] = (await second.services.approvals.list("open", undefined, 10)).items;
    expect(open?.expiresAt).toBeLessThanOrEqual(at + (expiresAt - requestedAt) + SLACK_MS);
    // The jobs follow what is stored.
    for (const { kind, nextRunAt } of await second.services.jobs.list(BY)) {
      const latest = kind === "approvals.expire" ? expiresAt - requestedAt : HOUR_MS;
      expect([kind, (nextRunAt ?? 0) <= at + latest + SLACK_MS]).toEqual([kind, true]);
    }
  });
}

describe("a clock that was 8 hours ahead and is put back leaves nothing waiting for the old time", () => {
  it("on SQLite", { timeout: 60_000 }, async () => {
    await expectWithinRules("", async (location) => {
      const raw = new Sqlite(location.replace(/^file:/, ""));
      for (const sql of SET_AHEAD) raw.exec(sql);
      raw.close();
    });
  });

  it.skipIf(!HAS_POSTGRES)("on PostgreSQL, with the clock of the database", { timeout: 60_000 }, async () => {
    const { url, remove } = await createPostgresDatabase({ migrated: true });
    onTestFinished(remove);
    await expectWithinRules(url, async () => {
      const jobs = `UPDATE pgboss.job SET start_after = start_after + interval '8 hours'`;
      await administer(url, ...SET_AHEAD, jobs);
    });
  });
});
