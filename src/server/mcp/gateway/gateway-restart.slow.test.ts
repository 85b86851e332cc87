import { Client as FirstClient } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport as FirstTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { ToolListChangedNotificationSchema } from "@modelcontextprotocol/sdk/types.js";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { LOCAL_PRINCIPAL } from "../../../lib/contract/access";
import { waitUntil } from "../../../lib/wait-until.test-support";
import { quietLogger } from "../../platform/db/database.test-support";
import { openSqlite } from "../../platform/db/sqlite/sqlite-database";
import { begin, buildCall, INITIALIZE, post } from "./gateway.test-support";
import { type GatewayContainer, newDatabaseUrl, startGatewayContainer } from "./gateway-container.test-support";

let databaseUrl: string;
let running: GatewayContainer;
let url: string;

async function start(port = 0): Promise<void> {
  running = await startGatewayContainer(databaseUrl, port);
  url = running.url;
}

/** The same database under the same address, in a new container. @param whileDown what happens while it is down */
async function restart(whileDown: () => Promise<void> = async () => {}): Promise<void> {
  const { port } = running;
  await running.stop();
  await whileDown();
  await start(port);
}

/** The first event of a session's stream. */
async function firstEvent(headers: Record<string, string>): Promise<string> {
  const stream = await fetch(url, { headers: { ...headers, accept: "text/event-stream" } });
  expect(stream.status).toBe(200);
  const reader = stream.body?.getReader();
  const { value } = (await reader?.read()) ?? {};
  await reader?.cancel();
  return new TextDecoder().decode(value);
}

const echo = (id: number) => buildCall("echo", id, { arguments: { message: `call ${id}` } });
const makeTool = (name: string) =>
  running.container.services.tools.create(
    LOCAL_PRINCIPAL,
    JSON.stringify({
      name,
      description: "Made for a test",
      type: "function",
      handler: name,
      parameters: { type: "object" },
      implementation: { type: "mock", mock_response: null },
    }),
  );

beforeEach(async () => {
  databaseUrl = await newDatabaseUrl();
  await start();
});
afterEach(() => running.stop());

/** How real clients differ once their server was away. None of these sends initialize again. */
const CLIENTS: readonly {
  about: string;
  stream?: "first" | "last";
  version?: false;
  cancels?: true;
  pings?: true;
  lists?: true;
  together?: true;
  batch?: true;
  deletes?: true;
}[] = [
  { about: "calls and nothing else" },
  { about: "calls without a protocol version header", version: false },
  { about: "opens its stream again before the call", stream: "first" },
  { about: "opens its stream again after the call", stream: "last" },
  { about: "cancels the request that was lost, then calls", cancels: true },
  { about: "pings before the call", pings: true },
  { about: "lists tools before the call", lists: true },
  { about: "sends several requests at once", together: true },
  { about: "sends a batch", batch: true, version: false },
  { about: "calls, then deletes its session", deletes: true },
  { about: "does all of it", stream: "first", cancels: true, pings: true, lists: true, together: true, deletes: true },
];

describe("a session of a 2025 protocol, after a restart of the server", () => {
  it.each(CLIENTS)("keeps working under its old id for a client that $about", async (client) => {
    const { "mcp-protocol-version": version = "", ...idOnly } = await begin(url);
    const headers = client.version === false ? idOnly : { ...idOnly, "mcp-protocol-version": version };
    expect((await post(url, echo(1), headers)).status).toBe(200);
    await restart();
    if (client.stream === "first") expect(await firstEvent(headers)).toContain("notifications/tools/list_changed");
    if (client.cancels) {
      const cancelled = { jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: 1 } };
      expect((await post(url, cancelled, headers)).status).toBe(202);
    }
    const ask = async (id: number, method: string) =>
      (await (await post(url, { jsonrpc: "2.0", id, method }, headers)).json()).result;
    if (client.pings) expect(await ask(2, "ping")).toEqual({});
    if (client.lists) expect((await ask(3, "tools/list")).tools.length).toBeGreaterThan(0);
    const calls = client.together ? [4, 5, 6].map(echo) : [echo(4)];
    const bodies = client.batch ? [calls] : calls;
    for (const answer of await Promise.all(bodies.map((body) => post(url, body, headers)))) {
      expect(answer.status).toBe(200);
      expect([await answer.json()].flat()[0].result.content[0].text).toContain("call ");
    }
    expect(running.container.gateway.sessionCount()).toBe(1);
    if (client.stream === "last") expect(await firstEvent(headers)).toContain("notifications/tools/list_changed");
    if (client.deletes) {
      expect((await fetch(url, { method: "DELETE", headers })).status).toBe(200);
      expect((await post(url, echo(7), headers)).status).toBe(404);
      await restart();
      expect((await post(url, echo(8), headers)).status).toBe(404);
    }
  });

  it("keeps working for a client of the first SDK, whose reopened stream receives list changes", async () => {
    const client = new FirstClient({ name: "first-sdk", version: "1.0.0" });
    const transport = new FirstTransport(new URL(url), {
      reconnectionOptions: {
        initialReconnectionDelay: 20,
        maxReconnectionDelay: 200,
        reconnectionDelayGrowFactor: 1.5,
        maxRetries: 200,
      },
    });
    let changes = 0;
    client.setNotificationHandler(ToolListChangedNotificationSchema, () => {
      changes += 1;
    });
    await client.connect(transport as never);
    const id = transport.sessionId;
    await client.callTool({ name: "echo", arguments: { message: "before" } });
    await restart();
    const result = await client.callTool({ name: "echo", arguments: { message: "after" } });
    expect(JSON.stringify(result.content)).toContain("after");
    expect(transport.sessionId).toBe(id);
    await waitUntil(() => changes > 0, { what: "the notice that the list may have changed" });
    const before = changes;
    await makeTool("made_later");
    await waitUntil(() => changes > before, { what: "the notice of the change" });
    expect((await client.listTools()).tools.map(({ name }) => name)).toContain("made_later");
    await client.close();
  });

  it("keeps the client's name, its protocol version, its log level and its address", async () => {
    const address = `${url}?tools=echo,slow_report`;
    const begun = await post(address, {
      ...INITIALIZE,
      params: { protocolVersion: "2025-03-26", capabilities: {}, clientInfo: { name: "keeper", version: "7" } },
    });
    const headers = { "mcp-session-id": begun.headers.get("mcp-session-id") ?? "" };
    const level = { jsonrpc: "2.0", id: 1, method: "logging/setLevel", params: { level: "info" } };
    await post(address, level, headers);
    await restart();
    expect((await post(url, echo(2), headers)).status).toBe(404);
    const slow = buildCall("slow_report", 3, { arguments: { steps: 1, step_ms: 1 } });
    expect(await (await post(address, slow, headers)).text()).toContain('"method":"notifications/message"');
    const { items } = await running.container.services.executions.list({}, undefined, 10);
    expect(items[0]).toMatchObject({ toolName: "slow_report", client: "keeper/7" });
    await restart(async () => {
      const db = await openSqlite({ url: databaseUrl, logger: quietLogger() });
      const row = await db.prisma.execution.findFirstOrThrow({ where: { id: items[0]?.id ?? "" } });
      expect(row.protocol).toBe("2025-03-26");
      await db.close();
    });
  });

  it("has ended after a day without use, and an unknown id never works", async () => {
    const day = 24 * 60 * 60_000;
    const expired = await begin(url);
    const used = await begin(url);
    await restart(async () => {
      const db = await openSqlite({ url: databaseUrl, logger: quietLogger() });
      const rows = await db.prisma.gatewaySession.findMany({ orderBy: { createdAt: "asc" } });
      expect(rows).toHaveLength(2);
      const age = async (index: number, ms: number) =>
        db.prisma.gatewaySession.update({
          where: { idHash: rows[index]?.idHash ?? "" },
          data: { lastUsedAt: BigInt(Date.now() - ms) },
        });
      await age(0, day);
      await age(1, day - 60_000);
      await db.close();
    });
    const old = await post(url, echo(1), expired);
    expect([old.status, (await old.json()).error.code]).toEqual([404, -32001]);
    expect((await post(url, echo(1), used)).status).toBe(200);
    const guess = { ...used, "mcp-session-id": "A".repeat(32) };
    expect((await post(url, echo(2), guess)).status).toBe(404);
    expect((await fetch(url, { headers: { ...guess, accept: "text/event-stream" } })).status).toBe(404);
    expect((await fetch(url, { method: "DELETE", headers: guess })).status).toBe(404);
  });

  it("has a random id of 192 bits, of which the database holds only a hash", async () => {
    const ids = await Promise.all(Array.from({ length: 20 }, async () => (await begin(url))["mcp-session-id"] ?? ""));
    expect(new Set(ids).size).toBe(20);
    expect(ids.map((id) => Buffer.from(id, "base64url").length)).toEqual(ids.map(() => 24));
    await restart(async () => {
      const db = await openSqlite({ url: databaseUrl, logger: quietLogger() });
      const stored = JSON.stringify(await db.prisma.gatewaySession.findMany({ select: { idHash: true } }));
      await db.close();
      expect(ids.filter((id) => stored.includes(id))).toEqual([]);
    });
  });
});
