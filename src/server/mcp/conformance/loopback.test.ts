import { createServer, type IncomingMessage, request, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import path from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { waitUntil } from "../../../lib/wait-until.test-support";
import { createAddressPolicy } from "../../platform/outgoing/address-policy";
import { startForwarder } from "./forwarder";
import { startStdioBridge } from "./stdio-bridge";

const closing: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

type Handle = (request: IncomingMessage, response: ServerResponse) => void;

async function serve(handle: Handle): Promise<URL> {
  const server: Server = createServer(handle);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  closing.push(
    () =>
      new Promise((resolve) => {
        server.close(resolve);
        server.closeAllConnections();
      }),
  );
  return new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`);
}

async function forward(target: URL, addresses = createAddressPolicy({ privateAddresses: "allow", local: true })) {
  const forwarder = await startForwarder({
    target,
    addresses,
    credentials: async () => ({ authorization: "Bearer secret" }),
  });
  closing.push(forwarder.close);
  return forwarder.url;
}

/** `fetch` does not send a Host of one's own. */
function send(url: URL, headers: Record<string, string>): Promise<number> {
  return new Promise((resolve, reject) => {
    const sent = request(url, { method: "POST", headers }, (response) => {
      response.resume();
      response.once("end", () => resolve(response.statusCode ?? 0));
    });
    sent.once("error", reject);
    sent.end("{}");
  });
}

describe("the address that stands for a server", () => {
  it("adds the credentials, and names the server where the client names the address", async () => {
    const received: IncomingMessage["headers"][] = [];
    const target = await serve((incoming, response) => {
      received.push(incoming.headers);
      incoming.resume();
      response.writeHead(202).end();
    });
    const url = await forward(target);
    await send(url, { origin: url.origin });
    await send(url, { host: "evil.example.com", origin: "http://evil.example.com" });
    await send(url, { host: `localhost:${url.port}`, authorization: "Bearer mine" });
    const picked = received.map(({ host, origin, authorization }) => ({ host, origin, authorization }));
    expect(picked).toEqual([
      { host: target.host, origin: target.origin, authorization: "Bearer secret" },
      { host: "evil.example.com", origin: "http://evil.example.com", authorization: "Bearer secret" },
      { host: target.host, origin: undefined, authorization: "Bearer mine" },
    ]);
  });

  it("answers at its secret path alone", async () => {
    let asked = 0;
    const target = await serve((_, response) => {
      asked += 1;
      response.end();
    });
    const url = await forward(target);
    for (const guess of ["/", "/mcp", `${url.pathname}/`, `${url.pathname}?a=1`]) {
      expect((await fetch(new URL(guess, url.origin))).status).toBe(404);
    }
    expect(asked).toBe(0);
  });

  it("passes events on as they come, and ends the server's stream when the client leaves", async () => {
    let stream: ServerResponse | null = null;
    let hasLeft = false;
    const target = await serve((_, response) => {
      stream = response;
      response.writeHead(200, { "content-type": "text/event-stream", "mcp-session-id": "one" });
      response.write("data: 1\n\n");
      response.once("close", () => {
        hasLeft = true;
      });
    });
    const leaving = new AbortController();
    const answer = await fetch(await forward(target), { signal: leaving.signal });
    expect(answer.headers.get("mcp-session-id")).toBe("one");
    const reader = answer.body?.getReader();
    const readText = async () => new TextDecoder().decode((await reader?.read())?.value);
    expect(await readText()).toBe("data: 1\n\n");
    (stream as ServerResponse | null)?.write("data: 2\n\n");
    expect(await readText()).toBe("data: 2\n\n");
    leaving.abort();
    await waitUntil(() => hasLeft);
  });

  it("keeps a connection whose response was sent whole", async () => {
    const sockets = new Set<unknown>();
    const target = await serve((incoming, response) => {
      sockets.add(incoming.socket);
      incoming.resume();
      response.end("{}");
    });
    const url = await forward(target);
    for (let at = 0; at < 5; at += 1) await (await fetch(url, { method: "POST", body: "{}" })).text();
    expect(sockets.size).toBe(1);
  });

  it("connects to no address that the policy refuses", async () => {
    const target = await serve((_, response) => response.end());
    const url = await forward(target, createAddressPolicy({ privateAddresses: "deny", local: false }));
    expect((await fetch(url, { method: "POST", body: "{}" })).status).toBe(502);
  });
});

const FIXTURE = path.resolve("e2e/support/conformance/fixture-server.mjs");
const INITIALIZE = {
  jsonrpc: "2.0",
  id: "first",
  method: "initialize",
  params: { protocolVersion: "2025-11-25", capabilities: { sampling: {} }, clientInfo: { name: "a", version: "1" } },
};

async function bridge() {
  const command = { command: process.execPath, args: [FIXTURE], environment: {}, cwd: process.cwd() };
  const { url, close } = await startStdioBridge(command, () => undefined);
  closing.push(close);
  const post = (message: object, session?: string) =>
    fetch(url, {
      method: "POST",
      headers: { "content-type": "application/json", ...(session && { "mcp-session-id": session }) },
      body: JSON.stringify(message),
    });
  const open = async (): Promise<string> => {
    const answer = await post(INITIALIZE);
    expect((await readEvents(answer)).at(-1)).toMatchObject({ id: "first", result: expect.anything() });
    const session = answer.headers.get("mcp-session-id") ?? "";
    expect((await post({ jsonrpc: "2.0", method: "notifications/initialized" }, session)).status).toBe(202);
    return session;
  };
  return { url, post, open };
}

async function readEvents(answer: Response): Promise<Record<string, unknown>[]> {
  const events = (await answer.text()).split("\n\n").filter(Boolean);
  return events.map((event) => JSON.parse(event.replace(/^data: /, "")) as Record<string, unknown>);
}

describe("the bridge to a program over stdio", () => {
  it("keeps sessions apart, with the ids of each client", async () => {
    const { post, open } = await bridge();
    const sessions = [await open(), await open()];
    const answers = await Promise.all(
      sessions.flatMap((session) => [
        post({ jsonrpc: "2.0", id: 7, method: "ping" }, session),
        post({ jsonrpc: "2.0", id: "7", method: "ping" }, session),
      ]),
    );
    const ids = await Promise.all(answers.map(async (answer) => (await readEvents(answer)).map(({ id }) => id)));
    expect(ids).toEqual([[7], ["7"], [7], ["7"]]);
    expect(new Set(sessions).size).toBe(2);
  });

  it("passes progress and the server's own requests on in the answer of the call", async () => {
    const { post, open } = await bridge();
    const session = await open();
    const params = { name: "test_tool_with_progress", arguments: {}, _meta: { progressToken: "p" } };
    const events = await readEvents(await post({ jsonrpc: "2.0", id: 1, method: "tools/call", params }, session));
    expect(events.map(({ method, id }) => method ?? id)).toEqual([
      "notifications/progress",
      "notifications/progress",
      "notifications/progress",
      1,
    ]);
  });

  it("ends a session with its process, and knows no other", async () => {
    const { url, post, open } = await bridge();
    const session = await open();
    const ended = await fetch(url, { method: "DELETE", headers: { "mcp-session-id": session } });
    expect(ended.status).toBe(200);
    expect((await post({ jsonrpc: "2.0", id: 1, method: "ping" }, session)).status).toBe(404);
    expect((await fetch(url, { headers: { "mcp-session-id": "unknown" } })).status).toBe(404);
    expect((await fetch(url)).status).toBe(405);
  });
});
