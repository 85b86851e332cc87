import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import Database from "../../../../scripts/sqlite.mjs";
import { LOCAL_PRINCIPAL, type Principal, type Role, type Scope } from "../../../lib/contract/access";
import { runSettingsSchema } from "../../../lib/contract/run";
import { waitUntil } from "../../../lib/wait-until.test-support";
import { type GatewayContainer, newDatabaseUrl, startGatewayContainer } from "./gateway-container.test-support";

const createUser = (id: string, role: Role): Principal => ({ id, name: id, role, token: null });
const ADMIN = createUser("bob", "admin");
const EDITOR = createUser("ed", "editor");
const OTHER = createUser("olga", "editor");

async function connect(url: string, token?: string): Promise<Client> {
  const client = new Client({ name: "agent", version: "1" }, { versionNegotiation: { mode: "auto" } });
  const requestInit = token === undefined ? {} : { headers: { authorization: `Bearer ${token}` } };
  await client.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit }));
  return client;
}

interface CallResult {
  content: { type: string; text?: string }[];
  isError?: boolean;
}

async function call(client: Client, name: string, args: Record<string, unknown> = {}) {
  const result = (await client.callTool({ name, arguments: args })) as CallResult;
  const text = result.content.map((part) => part.text ?? "").join("");
  return { text, isError: result.isError === true, value: result.isError === true ? null : JSON.parse(text) };
}

const initialize = (url: string, token?: string) =>
  fetch(url, {
    method: "POST",
    headers: {
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
    },
    body: JSON.stringify({
      jsonrpc: "2.0",
      id: 1,
      method: "initialize",
      params: { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "raw", version: "1" } },
    }),
  });

describe("/mcp/toolroom without accounts", () => {
  let server: GatewayContainer;
  let url: string;
  beforeAll(async () => {
    server = await startGatewayContainer(await newDatabaseUrl());
    url = `${server.url}/toolroom`;
  });
  afterAll(() => server.stop());
  const services = () => server.container.services;

  it("is off at first, and says who can switch it on", async () => {
    const response = await initialize(url);
    expect(response.status).toBe(404);
    expect(await response.text()).toMatch(/\/mcp\/toolroom is switched off\. An admin can switch it on under Settings/);
    expect(services().agents.getEndpoint()).toMatchObject({ enabled: false, served: false, setBy: "settings" });
  });

  it("lists Toolroom's own tools once it is on, finds a failed call, explains it and replays it", async () => {
    await services().agents.setEndpoint(LOCAL_PRINCIPAL, true);
    const failed = await services().executions.run(LOCAL_PRINCIPAL, {
      tool: "slow_report",
      argumentsText: '{"steps":1,"step_ms":1,"fail_at":1}',
    });
    expect(failed.status).toBe("failed");
    const client = await connect(url);
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toEqual(
      expect.arrayContaining(["what_failed", "search_executions", "get_execution", "replay_execution", "save_test"]),
    );
    expect(tools.find(({ name }) => name === "replay_execution")?.annotations).toMatchObject({
      readOnlyHint: false,
      destructiveHint: true,
    });
    const { value } = await call(client, "what_failed", { period: "today", zone: "UTC" });
    expect(value).toMatchObject({ failed: 1, causes: [{ tool: "slow_report", calls: 1, latestId: failed.id }] });
    expect(value.summary).toMatch(/^1 of \d calls failed\. 1 × slow_report: Step 1 of 1 failed/);
    expect((await call(client, "get_execution", { id: failed.id })).value).toMatchObject({ error: failed.error });
    const replayed = await call(client, "replay_execution", { id: failed.id });
    expect(replayed.value).toMatchObject({ parentId: failed.id, source: "replay", status: "failed" });
    expect((await call(client, "search_executions", { tool: ["slow_report"] })).value).toMatchObject({ count: 2 });
    await client.close();
  });

  it("records its calls under names that no tool of the catalog has", async () => {
    const client = await connect(url);
    await call(client, "list_servers");
    await client.close();
    const [newest] = (await services().executions.list({}, undefined, 1)).items;
    expect(newest).toMatchObject({ toolName: "toolroom__list_servers", calledAs: "list_servers", source: "gateway" });
  });

  it("runs no tool of the catalog, and the whole catalog has none of its tools", async () => {
    const own = await connect(url);
    await expect(own.callTool({ name: "get_weather", arguments: { location: "Oslo" } })).rejects.toMatchObject({
      code: -32602,
    });
    await own.close();
    const all = await connect(server.url);
    expect((await all.listTools()).tools.map(({ name }) => name)).not.toContain("what_failed");
    await all.close();
  });

  it("ends a tool that calls itself through replays", async () => {
    const definition = {
      name: "again",
      description: "Replays a call",
      type: "function",
      handler: "replay_execution",
      parameters: { type: "object", properties: { id: { type: "string" } } },
      implementation: { type: "internal", handler: "replay_execution" },
    };
    await services().tools.create(LOCAL_PRINCIPAL, JSON.stringify(definition));
    const id = "exec_ownreplay1";
    const done = await services().executions.run(LOCAL_PRINCIPAL, {
      tool: "again",
      argumentsText: JSON.stringify({ id }),
      executionId: id,
    });
    const calls = (await services().executions.list({ tool: ["again"] }, undefined, 50)).items;
    expect(calls).toHaveLength(3);
    expect(calls.filter(({ status }) => status === "failed")).toHaveLength(1);
    expect(calls.find(({ status }) => status === "failed")?.errorPreview).toMatch(/such calls end at 2 levels/);
    expect(done.status).toBe("succeeded");
  });

  it("refuses a server of its name while it is on, and is not served where a server has the name", async () => {
    const settings = { name: "toolroom", transport: "http", url: "http://127.0.0.1:9/mcp" };
    await expect(services().servers.create(LOCAL_PRINCIPAL, settings, false)).rejects.toThrow(
      /'toolroom' is the name of the endpoint \/mcp\/toolroom/,
    );
    await services().agents.setEndpoint(LOCAL_PRINCIPAL, false);
    expect((await initialize(url)).status).toBe(404);
    await services().servers.create(LOCAL_PRINCIPAL, settings, false);
    await expect(services().agents.setEndpoint(LOCAL_PRINCIPAL, true)).rejects.toThrow(/Rename the server first/);
    await services().servers.delete(LOCAL_PRINCIPAL, "toolroom");
  });

  it("adds its tools to the catalog where their names are free, ready to be used", async () => {
    const { added, present } = await services().agents.addTools(LOCAL_PRINCIPAL);
    expect(present).toEqual(["search_tools"]);
    expect(added).toContain("what_failed");
    const listed = await services().agents.listTools();
    expect(listed.every(({ inCatalog }) => inCatalog)).toBe(true);
    const quality = services()
      .tools.list()
      .items.filter(({ name }) => added.includes(name))
      .flatMap((tool) => tool.quality);
    expect(quality).toEqual([]);
    const done = await services().executions.run(LOCAL_PRINCIPAL, {
      tool: "what_failed",
      argumentsText: '{"period":"hour"}',
    });
    expect(JSON.parse(done.resultText ?? "null")).toMatchObject({ causes: expect.any(Array) });
    expect((await services().agents.addTools(LOCAL_PRINCIPAL)).added).toEqual([]);
  });
});

it("TOOLROOM_AGENT_ENDPOINT decides in place of the settings", async () => {
  const server = await startGatewayContainer(await newDatabaseUrl(), 0, { TOOLROOM_AGENT_ENDPOINT: "on" });
  expect((await initialize(`${server.url}/toolroom`)).status).toBe(200);
  expect(server.container.services.agents.getEndpoint()).toMatchObject({ served: true, setBy: "environment" });
  await expect(server.container.services.agents.setEndpoint(LOCAL_PRINCIPAL, false)).rejects.toThrow(
    /TOOLROOM_AGENT_ENDPOINT=on decides/,
  );
  await server.stop();
});

describe("/mcp/toolroom with accounts", () => {
  let server: GatewayContainer;
  let url: string;
  let executionId: string;
  const tokens: Record<string, string> = {};
  beforeAll(async () => {
    const databaseUrl = await newDatabaseUrl();
    server = await startGatewayContainer(databaseUrl, 0, { TOOLROOM_AUTH: "on", TOOLROOM_AGENT_ENDPOINT: "on" });
    url = `${server.url}/toolroom`;
    const raw = new Database(databaseUrl.slice("file:".length));
    const add = raw.prepare(
      `INSERT INTO "User" (id, name, email, role, "createdAt", "updatedAt") VALUES (?, ?, ? || '@x.test', ?, 0, 0)`,
    );
    for (const { id, role } of [ADMIN, EDITOR, OTHER]) add.run(id, id, id, role);
    raw.close();
    const create = async (name: string, scopes: Scope[], only: string[] | null = null) => {
      const token = { name, scopes, tools: only, servers: null, validDays: 30 };
      tokens[name] = (await server.container.services.tokens.create(EDITOR, token)).text;
    };
    await create("reader", ["read"]);
    await create("runner", ["run"]);
    await create("manager", ["manage"]);
    await create("limited", ["run"], ["get_weather"]);
    const own = server.container.servicesFor(EDITOR);
    const run = await own.executions.run(EDITOR, { tool: "get_weather", argumentsText: '{"location":"Lima"}' });
    executionId = run.id;
  });
  afterAll(() => server.stop());

  it("a token with the scope read reads, and replays and saves nothing", async () => {
    const client = await connect(url, tokens.reader);
    expect((await call(client, "get_execution", { id: executionId })).value).toMatchObject({ id: executionId });
    const replay = await call(client, "replay_execution", { id: executionId });
    expect(replay).toMatchObject({ isError: true, text: expect.stringContaining("token with the scope run") });
    const saved = await call(client, "save_test", { executionId, suite: "smoke" });
    expect(saved).toMatchObject({ isError: true, text: expect.stringContaining("token with the scope manage") });
    await client.close();
  });

  it("a token that is limited to tools gets its own calls, and nothing of the rest", async () => {
    const client = await connect(url, tokens.limited);
    expect((await call(client, "search_executions")).value.executions).not.toContainEqual(
      expect.objectContaining({ id: executionId }),
    );
    expect(await call(client, "get_execution", { id: executionId })).toMatchObject({ isError: true });
    for (const name of ["execution_stats", "list_servers", "list_clients"]) {
      expect(await call(client, name)).toMatchObject({ isError: true, text: expect.stringContaining("limited") });
    }
    await client.close();
  });

  it("an agent learns what a client does with a tool", async () => {
    const client = await connect(url, tokens.reader);
    const { value } = await call(client, "check_client", { program: "cursor", tool: "get_weather" });
    expect(value).toMatchObject({ client: "cursor", verdict: "works", tools: 1, findings: [] });
    const unknown = await call(client, "check_client", { program: "cursor", tool: "missing" });
    expect(unknown).toMatchObject({ isError: true, text: expect.stringContaining("'missing' is not served") });
    await client.close();
  });

  it("a saved test leaves an audit entry that names the user, the token and the tool as its door", async () => {
    const client = await connect(url, tokens.manager);
    const saved = await call(client, "save_test", { executionId, suite: "smoke" });
    expect(saved.value).toMatchObject({ suite: "smoke" });
    await client.close();
    const filter = { action: ["suites.saveExecution"] };
    const { items } = await server.container.services.auditLog.list(ADMIN, filter, undefined, 10);
    expect(items).toMatchObject([
      { actor: { id: "ed" }, token: "manager", door: "tool", outcome: "done", target: { name: "smoke" } },
      { actor: { id: "ed" }, token: "reader", door: "tool", outcome: "denied" },
    ]);
  });

  it("what a call there returned is read by its caller and admins alone", async () => {
    const client = await connect(url, tokens.reader);
    await call(client, "get_execution", { id: executionId });
    await client.close();
    const find = async (reader: Principal) => {
      const { executions } = server.container.servicesFor(reader);
      const [item] = (await executions.list({ tool: ["toolroom__get_execution"] }, undefined, 1)).items;
      return await executions.get(item?.id ?? "");
    };
    expect((await find(EDITOR)).resultText).toContain(executionId);
    expect((await find(ADMIN)).resultText).toContain(executionId);
    expect(await find(OTHER)).toMatchObject({ resultText: null, restricted: true });
  });

  it("in the catalog a tool has the rights of the call's token, and those of the scope run in a run", async () => {
    await server.container.services.agents.addTools(ADMIN);
    const runner = await connect(server.url, tokens.runner);
    expect((await call(runner, "get_execution", { id: executionId })).value).toMatchObject({ id: executionId });
    const denied = { isError: true, text: expect.stringContaining("token with the scope manage") };
    expect(await call(runner, "save_test", { executionId, suite: "other" })).toMatchObject(denied);
    await runner.close();
    const manager = await connect(server.url, tokens.manager);
    expect((await call(manager, "save_test", { executionId, suite: "other" })).value).toMatchObject({ suite: "other" });
    await manager.close();

    const own = server.container.servicesFor(EDITOR);
    const settings = runSettingsSchema.parse({ provider: "demo", model: "demo" });
    const text = `save_test ${JSON.stringify({ executionId, suite: "third" })}`;
    const run = await own.runs.start(EDITOR, { settings, text });
    await waitUntil(async () => (await own.runs.get(run.id)).status === "succeeded");
    const [saved] = (await own.executions.list({ runId: run.id }, undefined, 1)).items;
    expect(saved).toMatchObject({ toolName: "save_test", errorPreview: denied.text });
  });
});
