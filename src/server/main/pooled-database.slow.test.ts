import { mkdtemp } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startPgbouncer } from "../../../scripts/pgbouncer.mjs";
import { findPgbouncer } from "../../../scripts/postgres-cluster.mjs";
import { LOCAL_PRINCIPAL } from "../../lib/contract/access";
import { waitUntil } from "../../lib/wait-until.test-support";
import { createPostgresDatabase, HAS_POSTGRES } from "../platform/db/postgres/scratch-postgres.test-support";
import { type Container, createContainer } from "./container";
import { readEnv } from "./env";

const PGBOUNCER = HAS_POSTGRES ? findPgbouncer() : null;
const CALLS = 60;
const SETTINGS = { provider: "demo", model: "demo", instructions: "", tools: { mode: "all" as const } };

describe.skipIf(PGBOUNCER === null).each([
  ["without a direct address", false],
  ["with a direct address", true],
])("the server behind PgBouncer in transaction mode, %s", (_title, isDirect) => {
  let database: { url: string; remove(): Promise<void> };
  let pooler: { url: string; stop(): Promise<void> };
  let folder: string;
  let server: Container;

  /** @param alone as a command does that nothing else may use the database beside */
  const start = ({ alone = false } = {}) =>
    createContainer(
      readEnv({
        DATABASE_URL: pooler.url,
        ...(isDirect && { DATABASE_DIRECT_URL: database.url }),
        TOOLROOM_DATA: folder,
        TOOLROOM_SECRET_KEY: "the key of the server's tests",
        TOOLROOM_LOG_LEVEL: "silent",
        TOOLROOM_CONFIG: path.resolve("config/toolroom.example.json"),
        TOOLROOM_SHUTDOWN_GRACE_MS: "50",
      }),
      alone ? { offline: true } : { address: "http://127.0.0.1:4321" },
    );
  const call = (expression: string) =>
    server.services.executions.run(LOCAL_PRINCIPAL, {
      tool: "calculator",
      argumentsText: JSON.stringify({ expression }),
    });

  beforeAll(async () => {
    folder = await mkdtemp(path.join(os.tmpdir(), "toolroom-pooled-"));
    database = await createPostgresDatabase({ migrated: false });
    // Fewer connections than clients: each of the server's is lent to many.
    pooler = await startPgbouncer(PGBOUNCER ?? "", database.url, { settings: ["default_pool_size = 6"] });
    server = await start();
  });
  afterAll(async () => {
    await server.close();
    await pooler.stop();
    await database.remove();
  });

  it("migrates an empty database, and says which connections go where", async () => {
    const { databaseRoute } = await server.services.system.info();
    expect(databaseRoute).toEqual({ pooled: true, direct: isDirect, sessions: isDirect });
    await expect(start({ alone: true })).rejects.toThrow("in use by the Toolroom at http://127.0.0.1:4321");
  });

  it("another instance of the server has what is changed here", async () => {
    const other = await start();
    try {
      const set = ({ services: { acting, tools } }: Container, mode: "always" | null) =>
        acting.answered(() => tools.setApproval(LOCAL_PRINCIPAL, "calculator", mode));
      await set(server, "always");
      expect(other.services.tools.get("calculator").approval?.mode).toBe("always");
      await set(other, null);
      expect(server.services.tools.get("calculator").approval?.mode).not.toBe("always");
    } finally {
      await other.close();
    }
  });

  it("calls at the same time are recorded once each, while lists, counts and figures are read", async () => {
    const { executions } = server.services;
    const calls = Array.from({ length: CALLS }, (_, index) => call(`${index} + 70000`));
    const reads = Array.from({ length: 30 }, (_, index) =>
      index % 2 === 0
        ? executions.list({ tool: ["calculator"], status: ["succeeded"] }, undefined, 20)
        : executions.list({}, undefined, 5 + index),
    );
    const ran = await Promise.all(calls);
    expect(ran.filter(({ status }) => status !== "succeeded")).toEqual([]);
    await Promise.all(reads);
    const seen = new Set<string>();
    let cursor: Parameters<typeof executions.list>[1];
    do {
      const page = await executions.list({ tool: ["calculator"] }, cursor, 50);
      for (const { id } of page.items) seen.add(id);
      cursor = page.nextCursor ?? undefined;
    } while (cursor !== undefined);
    expect(seen).toEqual(new Set(ran.map(({ id }) => id)));
    expect(await executions.count({ tool: ["calculator"] })).toEqual({ count: CALLS, more: false });
  }, 60_000);

  it("a text is found, by the index and before it", async () => {
    const { executions } = server.services;
    const find = async () => (await executions.list({ q: "70055" }, undefined, 5)).items.length;
    await waitUntil(async () => (await find()) === 1, { what: "the call that gave 70055" });
  });

  it("a run uses tools, and its log and calls are there after a restart", async () => {
    const { id } = await server.services.runs.start(LOCAL_PRINCIPAL, { settings: SETTINGS, text: "run calculator" });
    await waitUntil(async () => (await server.services.runs.get(id)).status !== "running", { what: "the run's end" });
    const before = await server.services.runs.get(id);
    expect(before.status).toBe("succeeded");
    await server.close();
    server = await start();
    expect((await server.services.runs.get(id)).events).toEqual(before.events);
    expect((await call("20 + 22")).resultText).toContain("42");
  });
});
