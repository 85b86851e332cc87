import { mkdtemp, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { LOCAL_PRINCIPAL } from "../../../lib/contract/access";
import type { ServerSettingsInput } from "../../../lib/contract/server";
import { type Container, createContainer } from "../container";
import { readEnv } from "../env";
import { appRouter } from "./root";

const ECHO = { command: process.execPath, args: [path.resolve("e2e/support/mcp-servers/echo.mjs")] };
let container: Container;
const caller = () =>
  appRouter.createCaller({
    actor: LOCAL_PRINCIPAL,
    refusal: null,
    sessionId: null,
    source: "api",
    services: container.services,
    recheck: async () => LOCAL_PRINCIPAL,
    stopping: container.stopping,
  });

beforeAll(async () => {
  const folder = await mkdtemp(path.join(os.tmpdir(), "toolroom-policies-"));
  const config = path.join(folder, "toolroom.json");
  await writeFile(config, JSON.stringify({ mcpServers: { strict: { ...ECHO, approval: "always" } } }));
  container = await createContainer(
    readEnv({ DATABASE_URL: `file:${folder}/api.db`, TOOLROOM_LOG_LEVEL: "silent", TOOLROOM_CONFIG: config }),
  );
});
afterAll(() => container.close());

const run = (name: string) => caller().executions.run({ name, argumentsText: "{}", waitMs: 10_000 });

describe("an MCP server's approval policy and offered tools, from text to call", () => {
  it("AGT-05 the key `approval` of the configuration makes the server's tools wait, and the request says why", async () => {
    await caller().servers.reconnect({ name: "strict" });
    const waiting = await run("strict__who");
    expect(waiting.status).toBe("waiting");
    const { approval } = await caller().approvals.get({ executionId: waiting.id });
    expect(approval).toEqual({ required: true, because: "server", mode: null });
    await caller().executions.cancel({ id: waiting.id });
    await expect(caller().servers.setApproval({ name: "strict", policy: "never" })).rejects.toThrow(/change it there/);
  });

  it("an imported server keeps its tool list and its switch; its policy is changed while it runs", async () => {
    const text = JSON.stringify({
      mcpServers: {
        picky: { ...ECHO, includeTools: ["who", "echo"], excludeTools: ["echo"], alwaysAllow: ["who"] },
        idle: { ...ECHO, disabled: true },
      },
    });
    const { servers } = await caller().servers.parseImport({ text });
    const chosen = servers.flatMap(({ settings, enabled }) =>
      settings === null ? [] : [{ settings: settings as ServerSettingsInput, enabled }],
    );
    expect(await caller().servers.import({ servers: chosen })).toEqual({ created: ["picky", "idle"], rejected: [] });
    expect((await caller().servers.get({ name: "idle" })).state).toMatchObject({ status: "disabled", pid: null });

    await caller().servers.reconnect({ name: "picky" });
    const { items } = await caller().tools.list({});
    expect(items.filter(({ server }) => server === "picky").map(({ name }) => name)).toEqual(["picky__who"]);
    expect((await run("picky__echo")).error).toContain("the settings of the server 'picky' exclude it");
    expect((await run("picky__who")).status).toBe("succeeded");

    await caller().servers.setApproval({ name: "picky", policy: "always" });
    expect((await caller().tools.get({ name: "picky__who" })).approval).toMatchObject({ because: "server" });
    const waiting = await run("picky__who");
    expect(waiting.status).toBe("waiting");
    await caller().executions.cancel({ id: waiting.id });
    const page = await caller().servers.tools({ name: "picky" });
    expect(page.items.find(({ name }) => name === "who")?.approval).toMatchObject({ required: true });
    await caller().servers.setApproval({ name: "picky", policy: null });
    expect((await run("picky__who")).status).toBe("succeeded");
  });

  it("text that is nested too deeply is answered with a sentence", async () => {
    const { problems } = await caller().servers.parseImport({ text: '{"a":'.repeat(50_000) });
    expect(problems).toEqual([expect.stringContaining("nested deeper than 100 levels")]);
  });
});
