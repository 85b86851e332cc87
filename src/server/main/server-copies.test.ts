import path from "node:path";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { Client as FirstClient } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport as FirstTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { describe, expect, it, onTestFinished } from "vitest";
import { startOAuthServer } from "../../../e2e/support/mcp-servers/oauth-server.mjs";
import type { Principal } from "../../lib/contract/access";
import { LOCAL_OWNER } from "../../lib/contract/actor";
import { waitUntil } from "../../lib/wait-until.test-support";
import { post } from "../mcp/gateway/gateway.test-support";
import { startRoundRobin } from "../platform/coordination/round-robin.test-support";
import { HAS_POSTGRES } from "../platform/db/postgres/scratch-postgres.test-support";
import type { Container } from "./container";
import { startInstances } from "./start-copies.test-support";

const OWNER: Principal = { ...LOCAL_OWNER, role: "admin", token: null };
const ORIGIN = "http://127.0.0.1:3000";
const SCRIPT = path.resolve("e2e/support/mcp-servers/offering.mjs");

const start = (count: number) => startInstances(count, { listens: true, env: { TOOLROOM_ACCOUNTS: "off" } });
const getStatus = (copy: Container, name: string): string | null =>
  copy.services.servers.has(name) ? copy.services.servers.get(name).state.status : null;
const awaitStatus = (copies: readonly Container[], name: string, status: string) =>
  waitUntil(() => copies.every((copy) => getStatus(copy, name) === status), {
    what: `${name} is ${status} everywhere`,
  });

const META = "io.modelcontextprotocol/";

/** A request of a client of the stateless protocol that knows tasks. */
function sendAt(url: string, method: string, params: Record<string, unknown>): Promise<Response> {
  const _meta = {
    [`${META}protocolVersion`]: "2026-07-28",
    [`${META}clientInfo`]: { name: "raw", version: "1" },
    [`${META}clientCapabilities`]: { extensions: { [`${META}tasks`]: {} }, elicitation: { form: {} } },
  };
  const name = params.name ?? params.taskId;
  const headers = {
    "mcp-protocol-version": "2026-07-28",
    "mcp-method": method,
    ...(name === undefined ? {} : { "mcp-name": String(name) }),
  };
  return post(url, { jsonrpc: "2.0", id: 1, method, params: { ...params, _meta } }, headers);
}

async function askAt(url: string, method: string, params: Record<string, unknown>): Promise<Record<string, unknown>> {
  const answer = (await (await sendAt(url, method, params)).json()) as { result?: Record<string, unknown> };
  expect(answer).toHaveProperty("result");
  return answer.result ?? {};
}

describe.skipIf(!HAS_POSTGRES)("MCP servers on several instances", { timeout: 60_000 }, () => {
  it("are used alike through every instance by clients of both protocols: a process each, and one that all share", async () => {
    const { copies, listeners } = await start(2);
    const [first, second] = copies as [Container, Container];
    const settings = { transport: "stdio", command: process.execPath, args: [SCRIPT, "left"] };
    await first.services.servers.create(OWNER, { ...settings, name: "each" });
    await second.services.servers.create(OWNER, { ...settings, name: "one", single: true });
    await awaitStatus(copies, "each", "connected");
    await awaitStatus(copies, "one", "connected");
    const getPids = (name: string) => new Set(copies.map((copy) => copy.services.servers.get(name).state.pid));
    // One state for all copies, and the shared process is one.
    await expect.poll(() => [getPids("each").size, getPids("one").size]).toEqual([1, 1]);
    const balancer = await startRoundRobin(listeners.map(({ address }) => address));
    onTestFinished(() => balancer.close());
    const clients = [
      new FirstClient({ name: "first", version: "1" }),
      new Client({ name: "second", version: "1" }, { versionNegotiation: { mode: "auto" } }),
    ] as const;
    const at = new URL(`${balancer.url}/mcp`);
    await clients[0].connect(new FirstTransport(at) as never);
    await clients[1].connect(new StreamableHTTPClientTransport(at));
    for (const client of clients) {
      for (let round = 0; round < 3; round += 1) {
        const result = await client.callTool({ name: "one__show", arguments: {} });
        expect(result.content).toEqual([{ type: "text", text: "shown" }]);
        expect((await client.listTools()).tools.map(({ name }) => name)).toContain("each__show");
        const { resources } = await client.listResources();
        expect(resources.length).toBeGreaterThan(2);
      }
      await client.close();
    }
    // Logs of all copies, from whichever copy the page comes: a connection each, and one of the shared process.
    const readConnected = async (copy: Container, name: string) =>
      (await copy.services.servers.log(name, OWNER.id)).filter(({ text }) => text.includes("Connected")).length;
    expect(await Promise.all(copies.map((copy) => readConnected(copy, "each")))).toEqual([2, 2]);
    expect(await Promise.all(copies.map((copy) => readConnected(copy, "one")))).toEqual([1, 1]);
    const messages = await Promise.all(copies.map((copy) => copy.services.servers.messages("one", OWNER.id)));
    expect(new Set(messages.map((list) => list.length)).size).toBe(1);
  });

  it("run tasks whose clients ask, answer, listen and cancel at another instance", async () => {
    const { copies, listeners } = await start(2);
    const [first] = copies as [Container, Container];
    const tasking = path.resolve("e2e/support/mcp-servers/tasking.mjs");
    await first.services.servers.create(OWNER, {
      name: "tasks",
      transport: "stdio",
      command: process.execPath,
      args: [tasking],
    });
    await awaitStatus(copies, "tasks", "connected");
    const [here, there] = listeners.map(({ address }) => `${address}/mcp`) as [string, string];
    const asks = await askAt(here, "tools/call", { name: "tasks__asks", arguments: {} });
    const taskId = String(asks.taskId);
    let requests: Record<string, unknown> = {};
    await waitUntil(
      async () => {
        const task = await askAt(there, "tasks/get", { taskId });
        requests = (task.inputRequests ?? {}) as typeof requests;
        return task.status === "input_required";
      },
      { what: "the question" },
    );
    const listening = await sendAt(there, "subscriptions/listen", { notifications: { taskIds: [taskId] } });
    const answers = Object.keys(requests).map((key) => [key, { action: "accept", content: { name: "Ada" } }] as const);
    await askAt(there, "tasks/update", { taskId, inputResponses: Object.fromEntries(answers) });
    // The stream ends with the task.
    const heard = await listening.text();
    expect(heard).toContain('"status":"completed"');
    expect(JSON.stringify(await askAt(there, "tasks/get", { taskId }))).toContain("Ada");
    const hanging = await askAt(here, "tools/call", { name: "tasks__hang", arguments: {} });
    await askAt(there, "tasks/cancel", { taskId: hanging.taskId });
    expect(await askAt(here, "tasks/get", { taskId: hanging.taskId })).toMatchObject({ status: "cancelled" });
  });

  it("share a sign-in that starts at one instance and comes back at another, and renew it once", async () => {
    const oauth = await startOAuthServer({});
    onTestFinished(() => oauth.close());
    const { copies } = await start(3);
    const [first, second] = copies as [Container, Container, Container];
    await first.services.servers.create(OWNER, {
      name: "files",
      transport: "http",
      url: oauth.url,
      auth: { type: "oauth" },
    });
    await awaitStatus(copies, "files", "sign_in_needed");
    const { url } = await first.services.servers.startSignIn(OWNER, "files", ORIGIN, "/tools");
    const consent = await fetch(url ?? "", { redirect: "manual" });
    const { searchParams } = new URL(consent.headers.get("location") ?? "");
    expect(await second.services.servers.finishSignIn(OWNER, searchParams)).toEqual({
      server: "files",
      path: "/tools",
    });
    await awaitStatus(copies, "files", "connected");
    expect(copies.map((copy) => copy.services.servers.get("files").signedIn)).toEqual([true, true, true]);
    const countRenewals = () => oauth.authorization.log.filter(({ grant }) => grant === "refresh_token").length;
    // Every access token has expired at once.
    oauth.authorization.expireAccess();
    const run = (copy: Container) =>
      copy.services.executions.run(OWNER, { tool: "files__whoami", argumentsText: "{}" });
    const runs = await Promise.all([...copies, ...copies].map(run));
    expect(runs.map(({ status }) => status)).toEqual(Array(6).fill("succeeded"));
    expect(countRenewals()).toBe(1);
    await second.services.servers.signOut(OWNER, "files");
    await awaitStatus(copies, "files", "sign_in_needed");
  });
});
