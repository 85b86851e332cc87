import { createServer, request as send } from "node:http";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { Client as FirstClient } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport as FirstTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { ElicitRequestSchema, ToolListChangedNotificationSchema } from "@modelcontextprotocol/sdk/types.js";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { waitUntil } from "../../../lib/wait-until.test-support";
import { createGatewaySessionStore } from "../../features/gateway/db/gateway-session-store";
import { createForwarding } from "../../platform/coordination/forwarding";
import { createTestInstances } from "../../platform/coordination/instances.test-support";
import { type RoundRobin, startRoundRobin } from "../../platform/coordination/round-robin.test-support";
import {
  createScratchPostgres,
  HAS_POSTGRES,
  type ScratchPostgres,
} from "../../platform/db/postgres/scratch-postgres.test-support";
import { begin, buildCall, HEARS_PROGRESS, post, startGateway, type TestGateway, tool } from "./gateway.test-support";

const KEY = "a key that all copies derive";
const FORM = {
  kind: "form",
  message: "Which colour?",
  schema: { type: "object", properties: { colour: { type: "string" } } },
};

describe.skipIf(!HAS_POSTGRES)("several instances of the gateway on one PostgreSQL", () => {
  let scratch: ScratchPostgres;
  let living: ReturnType<typeof createTestInstances>;
  let gateways: TestGateway[];
  let balancer: RoundRobin;

  beforeEach(async () => {
    scratch = await createScratchPostgres();
    living = createTestInstances();
    gateways = [];
  });
  afterEach(async () => {
    await balancer?.close();
    await Promise.all(gateways.map((gateway) => gateway.close()));
    await scratch.remove();
  });

  async function startInstance(id: string, port = 0): Promise<TestGateway> {
    const copies = living.add(id);
    const forwarding = createForwarding(copies, KEY, Date.now);
    const sessions = createGatewaySessionStore({ db: scratch.db });
    const gateway = await startGateway({ ports: { forwarding, sessions }, port });
    copies.serveAt(new URL(gateway.url).origin);
    gateways.push(gateway);
    return gateway;
  }

  async function start(count: number): Promise<string> {
    for (let index = 0; index < count; index += 1) await startInstance(`inst_${index}`);
    balancer = await startRoundRobin(gateways.map(({ url }) => url));
    return `${balancer.url}/mcp`;
  }

  const gatewayAt = (index: number): TestGateway => gateways[index] as TestGateway;
  const countSessions = (): number[] => gateways.map(({ gateway }) => gateway.sessionCount());

  /** Ends a copy as a kill does: its connections are cut, and it says nothing. */
  async function kill(index: number): Promise<void> {
    const { server } = gatewayAt(index);
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }

  const countStored = async (): Promise<number> =>
    (await scratch.db.row<{ found: number }>('SELECT count(*)::int AS found FROM "GatewaySession"'))?.found ?? 0;

  async function connectFirst(url: string): Promise<FirstClient> {
    const client = new FirstClient({ name: "t", version: "1" }, { capabilities: { elicitation: { form: {} } } });
    client.setRequestHandler(ElicitRequestSchema, () => ({ action: "accept", content: { colour: "red" } }));
    await client.connect(new FirstTransport(new URL(url)) as never);
    return client;
  }

  const ask = (client: Client | FirstClient) =>
    client.callTool({ name: "ask", arguments: { request: FORM } } as never).then((result) => {
      const [block] = result.content as { text: string }[];
      return JSON.parse(block?.text ?? "").answer;
    });

  it("serve a session of the older protocol at whatever instance a request arrives: calls, progress, questions, lists", async () => {
    const client = await connectFirst(await start(3));
    const progress: number[] = [];
    for (let round = 0; round < 4; round += 1) {
      expect((await client.listTools()).tools.length).toBeGreaterThan(3);
      expect(await ask(client)).toEqual({ action: "accept", content: { colour: "red" } });
      const call = client.callTool({ name: "steps", arguments: {} }, undefined, {
        onprogress: (each) => void progress.push(each.progress),
      });
      expect((await call).structuredContent ?? (await call).content).toBeDefined();
    }
    expect(progress).toEqual([1, 2, 3, 1, 2, 3, 1, 2, 3, 1, 2, 3]);
    expect([...balancer.counts.values()].every((count) => count > 3)).toBe(true);
    expect(countSessions().filter((count) => count > 0)).toEqual([1]);
    // The session is told of changes by its own copy.
    let told = 0;
    client.setNotificationHandler(ToolListChangedNotificationSchema, () => {
      told += 1;
    });
    for (const { engine, changed } of gateways) {
      engine.registry.register(tool("added", { type: "builtin", handler: "echo" }));
      changed();
    }
    await waitUntil(() => told === 1, { what: "the changed list" });
    await client.close();
  });

  it("end a session at its instance by DELETE at another one, with its calls", async () => {
    await start(2);
    const headers = await begin(gatewayAt(0).url);
    const running = post(gatewayAt(1).url, buildCall("slow", 1, HEARS_PROGRESS), headers);
    await waitUntil(() => gatewayAt(0).journal.started.length === 1, { what: "the start" });
    expect((await fetch(gatewayAt(1).url, { method: "DELETE", headers })).status).toBe(200);
    expect(await (await running).text()).toBe("");
    expect(gatewayAt(0).journal.ended[0]?.end.status).toBe("cancelled");
    expect((await post(gatewayAt(1).url, buildCall("echo", 2), headers)).status).toBe(404);
  });

  it("resume a session at another instance when its own is killed in the middle of a call, and go on with it there", async () => {
    const client = await connectFirst(await start(3));
    const resumed: number[] = [];
    client.setNotificationHandler(ToolListChangedNotificationSchema, () => void resumed.push(1));
    const owner = countSessions().indexOf(1);
    await waitUntil(async () => (await countStored()) === 1, { what: "the row" });
    const session = { "mcp-session-id": (client.transport as { sessionId?: string } | undefined)?.sessionId ?? "" };
    const running = post(gatewayAt((owner + 1) % 3).url, buildCall("slow", 99, HEARS_PROGRESS), session);
    await waitUntil(() => gatewayAt(owner).journal.started.length === 1, { what: "the start" });
    await kill(owner);
    expect(await (await running).text()).toContain("has ended: its result is unknown");
    // Not lost yet, but nothing listens at its address.
    expect((await client.listTools()).tools.length).toBeGreaterThan(3);
    living.lose(`inst_${owner}`);
    for (let round = 0; round < 6; round += 1) {
      expect(await ask(client)).toEqual({ action: "accept", content: { colour: "red" } });
    }
    const others = countSessions().filter((_, index) => index !== owner);
    expect(others.toSorted()).toEqual([0, 1]);
    await waitUntil(() => resumed.length > 0, { what: "the stream of the resumed session" });
    await client.close();
  });

  it("have one instance adopt a session that many requests find without an owner", async () => {
    await start(3);
    const headers = await begin(gatewayAt(0).url);
    await waitUntil(async () => (await countStored()) === 1, { what: "the row" });
    await kill(0);
    living.lose("inst_0");
    const ids = Array.from({ length: 20 }, (_, id) => id + 1);
    const answers = await Promise.all(
      ids.map((id) => post(gatewayAt(1 + (id % 2)).url, buildCall("echo", id), headers)),
    );
    expect(answers.map(({ status }) => status)).toEqual(ids.map(() => 200));
    expect(countSessions().slice(1).toSorted()).toEqual([0, 1]);
  });

  it.each(["the copy that was forwarded to", "the process that is at the address now"])(
    "serve each session of a killed copy at once when another process is at its address, which is not lost yet: asked at %s",
    async (asked) => {
      await start(2);
      // By another name: a connection that a client keeps to the killed process would break its next request.
      const named = gatewayAt(0).url.replace("127.0.0.1", "localhost");
      const sessions = await Promise.all([1, 2, 3].map(() => begin(named)));
      await waitUntil(async () => (await countStored()) === 3, { what: "the rows" });
      await kill(0);
      const next = await startInstance("inst_again", Number(new URL(gatewayAt(0).url).port));
      const { url } = asked.startsWith("the process") ? next : gatewayAt(1);
      const answers = await Promise.all(sessions.map((headers, id) => post(url, buildCall("echo", id + 1), headers)));
      expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
      // And at the other one, which learns who serves them now.
      const other = asked.startsWith("the process") ? gatewayAt(1) : next;
      const again = await Promise.all(
        sessions.map((headers, id) => post(other.url, buildCall("echo", id + 9), headers)),
      );
      expect(again.map(({ status }) => status)).toEqual([200, 200, 200]);
      expect([gatewayAt(1).gateway.sessionCount() + next.gateway.sessionCount()]).toEqual([3]);
    },
  );

  it("serve the sessions of a killed instance while the process at its address starts", async () => {
    await start(2);
    const headers = await begin(gatewayAt(0).url);
    await waitUntil(async () => (await countStored()) === 1, { what: "the row" });
    await kill(0);
    const starting = createServer((_request, response) => {
      response.writeHead(503, { "retry-after": "1", "toolroom-phase": "starting" }).end();
    });
    await new Promise<void>(
      (resolve) => void starting.listen(Number(new URL(gatewayAt(0).url).port), "127.0.0.1", resolve),
    );
    try {
      expect((await post(gatewayAt(1).url, buildCall("echo", 1), headers)).status).toBe(200);
    } finally {
      starting.closeAllConnections();
      await new Promise((resolve) => starting.close(resolve));
    }
  });

  it("hand sessions over when an instance stops", async () => {
    await start(2);
    const headers = await begin(gatewayAt(0).url);
    await waitUntil(async () => (await countStored()) === 1, { what: "the row" });
    gatewayAt(0).gateway.beginStop();
    expect((await post(gatewayAt(1).url, buildCall("echo", 1), headers)).status).toBe(200);
    expect(gatewayAt(1).gateway.sessionCount()).toBe(1);
  });

  it("continue a call of the newer protocol that waits for input at whatever instance the answer arrives", async () => {
    const url = await start(3);
    const client = new Client(
      { name: "t", version: "1" },
      { versionNegotiation: { mode: "auto" }, capabilities: { elicitation: { form: {} } } },
    );
    client.setRequestHandler("elicitation/create", async () => ({ action: "accept", content: { colour: "blue" } }));
    await client.connect(new StreamableHTTPClientTransport(new URL(url)));
    for (let round = 0; round < 4; round += 1) {
      expect(await ask(client)).toEqual({ action: "accept", content: { colour: "blue" } });
    }
    expect(gateways.filter(({ journal }) => journal.ended.length > 0).length).toBeGreaterThan(1);
    await client.close();
  });

  it("end a stream at its instance when its client leaves", async () => {
    await start(2);
    const headers = await begin(gatewayAt(0).url, {});
    const leaving = new AbortController();
    const stream = fetch(gatewayAt(1).url, {
      method: "GET",
      headers: { ...headers, accept: "text/event-stream" },
      signal: leaving.signal,
    });
    expect((await stream).headers.get("content-type")).toBe("text/event-stream");
    leaving.abort();
    // A notification is kept for the next stream once the owner has none.
    const register = (name: string) =>
      gatewayAt(0).engine.registry.register(tool(name, { type: "builtin", handler: "echo" }));
    let added = 0;
    await waitUntil(
      async () => {
        register(`added_${added++}`);
        gatewayAt(0).changed();
        const next = new AbortController();
        const kept = await fetch(gatewayAt(0).url, {
          headers: { ...headers, accept: "text/event-stream" },
          signal: next.signal,
        });
        const text = await Promise.race([
          kept.body
            ?.getReader()
            .read()
            .then(({ value }) => new TextDecoder().decode(value)),
          new Promise<string>((resolve) => setImmediate(() => setImmediate(() => resolve("")))),
        ]);
        next.abort();
        return text?.includes("list_changed") === true;
      },
      { what: "the end of the stream" },
    );
  });

  it("refuse a forged, an old and a foreign statement of where a request comes from", async () => {
    await start(2);
    const { port } = new URL(gatewayAt(0).url);
    const tell = (header: string) =>
      new Promise<number>((resolve, reject) => {
        const headers = { "content-type": "application/json", "toolroom-forwarded": header };
        const request = send({ port, host: "127.0.0.1", path: "/mcp", method: "POST", headers }, (response) => {
          response.resume();
          resolve(response.statusCode ?? 0);
        });
        request.once("error", reject);
        request.end("{}");
      });
    expect(await tell("")).toBe(403);
    expect(await tell(`${Buffer.from('[1,"1.2.3.4","http"]').toString("base64url")}.AAAA`)).toBe(403);
    expect(await tell("a.b.c")).toBe(403);
  });
});
