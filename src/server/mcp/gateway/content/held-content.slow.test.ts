import { mkdtemp, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import Database from "../../../../../scripts/sqlite.mjs";
import { LOCAL_PRINCIPAL, type Principal } from "../../../../lib/contract/access";
import { callRuleInputSchema } from "../../../../lib/contract/call-rule";
import { waitUntil } from "../../../../lib/wait-until.test-support";
import { type GatewayContainer, newDatabaseUrl, startGatewayContainer } from "../gateway-container.test-support";

const OFFERING = path.resolve("e2e/support/mcp-servers/offering.mjs");
const ERAS = ["legacy", "2026-07-28"] as const;
/** How long the gateway lets a client wait in the tests in which it does not get its answer. */
const SHORT_WAIT_MS = 100;

let running: GatewayContainer;
let databaseUrl: string;
const clients: Client[] = [];

async function writeConfig(tools: object): Promise<string> {
  const file = path.join(await mkdtemp(path.join(os.tmpdir(), "toolroom-held-")), "toolroom.json");
  await writeFile(file, JSON.stringify({ tools: { registry: [], ...tools } }));
  return file;
}

async function start(tools: object = {}): Promise<void> {
  running = await startGatewayContainer(databaseUrl, 0, {
    TOOLROOM_CONFIG: await writeConfig(tools),
    TOOLROOM_AGENT_ENDPOINT: "on",
  });
}

const services = () => running.container.services;
const ask = (kinds: string[], more: object = {}) =>
  services().rules.create(
    LOCAL_PRINCIPAL,
    callRuleInputSchema.parse({ name: `Ask for ${kinds}`, scope: { kinds, ...more }, effect: { kind: "ask" } }),
  );

async function connect(era: (typeof ERAS)[number], address = "", elicitation = false): Promise<Client> {
  const mode = era === "legacy" ? era : { pin: era };
  const capabilities = elicitation ? { elicitation: { form: {} } } : {};
  const client = new Client({ name: "host", version: "1" }, { versionNegotiation: { mode }, capabilities });
  await client.connect(new StreamableHTTPClientTransport(new URL(`${running.url}${address}`)));
  clients.push(client);
  return client;
}

const openItems = async () => (await services().approvals.list("open", undefined, 10)).items;
async function readWaiting() {
  await waitUntil(async () => (await openItems()).length === 1, { what: "the request for approval" });
  const [item] = await openItems();
  if (item === undefined) throw new Error("no request");
  return item;
}
const decide = (id: string, decision: { approved: boolean; reason?: string; argumentsText?: string }) =>
  services().approvals.decide(LOCAL_PRINCIPAL, id, decision);

async function addServer(): Promise<void> {
  const settings = { name: "left", transport: "stdio", command: process.execPath, args: [OFFERING, "left"] };
  await services().servers.create(LOCAL_PRINCIPAL, settings);
  await services().servers.reconnect(LOCAL_PRINCIPAL, "left");
}

afterEach(async () => {
  for (const client of clients.splice(0)) await client.close();
});

/** Each way to use what is not a tool of the catalog, and the answer of an approved one. */
const USES: [what: string, address: string, use: (client: Client) => Promise<unknown>, answer: RegExp][] = [
  ["a read of a resource", "", (client) => client.readResource({ uri: "left://only" }), /only here/],
  ["a prompt get", "", (client) => client.getPrompt({ name: "left__greet", arguments: { who: "Ada" } }), /Ada/],
  ["a call of one of Toolroom's own tools", "/toolroom", (client) => client.callTool({ name: "list_servers" }), /left/],
];

describe("under a rule that asks", () => {
  beforeAll(async () => {
    databaseUrl = await newDatabaseUrl();
    await start();
    await addServer();
    await ask(["resource", "prompt", "agent"]);
  });
  afterAll(() => running.stop());

  describe.each(ERAS)("for a client of the %s protocol", (era) => {
    it.each(USES)("%s waits in the inbox, and is answered once it is approved", async (_what, address, use, answer) => {
      const client = await connect(era, address);
      const answering = use(client);
      const { executionId, source, client: name } = await readWaiting();
      expect({ source, name }).toEqual({ source: "gateway", name: "host/1" });
      expect(await decide(executionId, { approved: true })).toMatchObject({ decided: true });
      expect(JSON.stringify(await answering)).toMatch(answer);
      const { status, approval, ruleMatches } = await services().executions.get(executionId);
      expect({ status, approval: approval?.status }).toEqual({ status: "succeeded", approval: "approved" });
      expect(ruleMatches).toMatchObject([{ effect: "ask", name: "Ask for resource,prompt,agent" }]);
    });

    it.each(USES)("%s that is rejected does not run, and its client learns why", async (_what, address, use) => {
      const client = await connect(era, address);
      const answering = use(client).then(JSON.stringify, String);
      const { executionId } = await readWaiting();
      await decide(executionId, { approved: false, reason: "not today" });
      expect(await answering).toContain("Rejected by Local owner: not today");
      const { status, startedAt } = await services().executions.get(executionId);
      expect({ status, startedAt }).toEqual({ status: "failed", startedAt: null });
    });

    it("a read that its client cancels is withdrawn; the stateless protocol ends the connection, as for tools", async () => {
      const client = await connect(era);
      const controller = new AbortController();
      const reading = client.readResource({ uri: "left://only" }, { signal: controller.signal });
      const { executionId } = await readWaiting();
      controller.abort("not needed");
      await expect(reading).rejects.toThrow();
      if (era === "legacy") {
        await waitUntil(async () => (await openItems()).length === 0, { what: "the withdrawal" });
        const ended = await services().executions.get(executionId);
        expect(ended).toMatchObject({ status: "cancelled", approval: { status: "withdrawn" } });
        return;
      }
      await waitUntil(async () => (await readWaiting()).detached, { what: "the lost connection" });
      await decide(executionId, { approved: false });
      await waitUntil(async () => (await services().executions.get(executionId)).status === "failed");
    });

    it("a read is approved in the window of a client that shows forms", async () => {
      const client = await connect(era, "", true);
      const asked: string[] = [];
      client.setRequestHandler("elicitation/create", async ({ params }) => {
        asked.push(params.message);
        return { action: "accept", content: { decision: "Approve" } };
      });
      expect(JSON.stringify(await client.readResource({ uri: "left://only" }))).toContain("only here");
      expect(asked).toEqual([expect.stringContaining("left://only")]);
    });
  });

  it("the arguments of a read cannot be edited by its approver", async () => {
    const client = await connect("legacy");
    const reading = client.readResource({ uri: "left://only" });
    const { executionId } = await readWaiting();
    const edited = decide(executionId, { approved: true, argumentsText: '{"uri":"left://hidden"}' });
    await expect(edited).rejects.toMatchObject({ code: "INVALID", problems: [{ path: "argumentsText" }] });
    await decide(executionId, { approved: true });
    expect(JSON.stringify(await reading)).toContain("only here");
  });

  it("the console says at once that a read waits, and the execution has its content later", async () => {
    const reading = services().content.readResource(LOCAL_PRINCIPAL, "left", "left://only");
    await expect(reading).rejects.toMatchObject({
      code: "CONFLICT",
      message: expect.stringMatching(/^This resource waits for a user's approval.*execution exec_\w+ has the content$/),
    });
    const { executionId } = await readWaiting();
    await decide(executionId, { approved: true });
    await waitUntil(async () => (await services().executions.get(executionId)).status === "succeeded");
    expect((await services().executions.get(executionId)).resultText).toContain("only here");
  });

  it("a replay of a read waits too", async () => {
    const [original] = (await services().executions.list({ status: ["succeeded"] }, undefined, 20)).items.filter(
      ({ toolName }) => toolName === "left resources/read",
    );
    const replay = await services().executions.replay(LOCAL_PRINCIPAL, original?.id ?? "");
    expect(replay.status).toBe("waiting");
    await decide(replay.id, { approved: true });
    await waitUntil(async () => (await services().executions.get(replay.id)).status === "succeeded");
  });

  it("a call of a tool does not wait, since the rule names other kinds", async () => {
    const client = await connect("legacy");
    expect(JSON.stringify(await client.callTool({ name: "left__show" }))).toContain("shown");
  });
});

describe("a read that outlives its client or its server", () => {
  beforeAll(async () => {
    databaseUrl = await newDatabaseUrl();
    await start({ gateway_approval_wait_ms: SHORT_WAIT_MS });
    await addServer();
    await ask(["resource", "agent"]);
  });
  afterAll(() => running.stop());

  it("stays in the inbox when its client has waited long enough, and runs once it is approved", async () => {
    const client = await connect("legacy");
    await expect(client.readResource({ uri: "left://only" })).rejects.toThrow(
      /This resource waits for a user's approval/,
    );
    const item = await readWaiting();
    expect(item.detached).toBe(true);
    await decide(item.executionId, { approved: true });
    await waitUntil(async () => (await services().executions.get(item.executionId)).status === "succeeded");
    expect((await services().executions.get(item.executionId)).resultText).toContain("only here");
  });

  it("runs after a restart of the server, as does one of Toolroom's own tools", async () => {
    const client = await connect("legacy");
    const own = await connect("legacy", "/toolroom");
    await expect(client.readResource({ uri: "left://only" })).rejects.toThrow(/waits for a user's approval/);
    const called = await own.callTool({ name: "list_servers" });
    expect(JSON.stringify(called)).toContain("waits for a user's approval");
    for (const each of clients.splice(0)) await each.close();
    await running.stop();
    await start();
    const waiting = await openItems();
    expect(waiting.map(({ toolName }) => toolName).sort()).toEqual(["left resources/read", "toolroom__list_servers"]);
    for (const { executionId } of waiting) await decide(executionId, { approved: true });
    for (const { executionId } of waiting) {
      await waitUntil(async () => (await services().executions.get(executionId)).status === "succeeded");
    }
  });
});

describe("one of Toolroom's own tools that was approved after its client left", () => {
  const EDITOR: Principal = { id: "ed", name: "ed", role: "editor", token: null };
  const ADMIN: Principal = { id: "bob", name: "bob", role: "admin", token: null };

  it("does not run for a caller whose token was revoked in between, and is never held where the token has no right to it", async () => {
    databaseUrl = await newDatabaseUrl();
    running = await startGatewayContainer(databaseUrl, 0, {
      TOOLROOM_AUTH: "on",
      TOOLROOM_AGENT_ENDPOINT: "on",
      TOOLROOM_CONFIG: await writeConfig({ gateway_approval_wait_ms: SHORT_WAIT_MS }),
    });
    const raw = new Database(databaseUrl.slice("file:".length));
    const add = raw.prepare(
      `INSERT INTO "User" (id, name, email, role, "createdAt", "updatedAt") VALUES (?, ?, ? || '@x.test', ?, 0, 0)`,
    );
    for (const { id, role } of [EDITOR, ADMIN]) add.run(id, id, id, role);
    raw.close();
    await ask(["agent"]);
    const limits = { name: "agent", scopes: ["manage" as const], tools: null, servers: null, validDays: 1 };
    const token = await services().tokens.create(EDITOR, limits);
    const client = new Client({ name: "host", version: "1" });
    const requestInit = { headers: { authorization: `Bearer ${token.text}` } };
    await client.connect(new StreamableHTTPClientTransport(new URL(`${running.url}/toolroom`), { requestInit }));
    clients.push(client);
    const waiting = await client.callTool({ name: "list_servers" });
    expect(JSON.stringify(waiting)).toContain("waits for a user's approval");
    await services().tokens.revoke(EDITOR, token.token.id);
    const { executionId } = await readWaiting();
    await services().approvals.decide(ADMIN, executionId, { approved: true, confirmed: true });
    const { executions } = running.container.servicesFor(ADMIN);
    await waitUntil(async () => (await executions.get(executionId)).status === "failed");
    expect((await executions.get(executionId)).error).toMatch(/token|rights|revoked/i);

    const reading = { ...limits, name: "reader", scopes: ["read" as const] };
    const reader = new Client({ name: "host", version: "1" });
    const headers = { authorization: `Bearer ${(await services().tokens.create(EDITOR, reading)).text}` };
    const address = new URL(`${running.url}/toolroom`);
    await reader.connect(new StreamableHTTPClientTransport(address, { requestInit: { headers } }));
    clients.push(reader);
    const refused = await reader.callTool({ name: "replay_execution", arguments: { id: executionId } });
    expect(JSON.stringify(refused)).toContain("This needs a token with the scope run");
    expect(await openItems()).toEqual([]);
    await running.stop();
  });
});
