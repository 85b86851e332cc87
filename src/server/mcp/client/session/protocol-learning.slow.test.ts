import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { describe, expect, it, onTestFinished } from "vitest";
import { waitUntil } from "../../../../lib/wait-until.test-support";
import { openBench, remote, script } from "../connections.test-support";

type Answer = { status?: number; result?: object; error?: { code: number; message: string }; hold?: Promise<unknown> };
interface Message {
  id?: number | string;
  method: string;
  params?: { protocolVersion?: string };
}

/** Longer than the time after which `initialize` is tried where the protocol is unknown. */
const SLOW_MS = 3300;
const DISCOVERED = {
  resultType: "complete",
  supportedVersions: ["2026-07-28"],
  capabilities: {},
  ttlMs: 0,
  cacheScope: "private",
};
const NOT_FOUND: Answer = { error: { code: -32_601, message: "Method not found" } };

/** An HTTP server whose answers a test changes while it runs. */
async function startServer(answers: Record<string, (message: Message) => Answer>) {
  const seen: string[] = [];
  const http = createServer(async (request, response) => {
    let text = "";
    for await (const chunk of request) text += chunk;
    if (request.method !== "POST") {
      response.writeHead(405).end();
      return;
    }
    const message = JSON.parse(text) as Message;
    seen.push(message.method);
    if (message.id === undefined) {
      response.writeHead(202).end();
      return;
    }
    const { status = 200, hold, ...body } = answers[message.method]?.(message) ?? NOT_FOUND;
    await hold;
    response.writeHead(status, { "content-type": "application/json" });
    response.end(JSON.stringify({ jsonrpc: "2.0", id: message.id, ...body }));
  });
  await new Promise<void>((resolve) => http.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    http.closeAllConnections();
    http.close();
  });
  const asked = (method: string): number => seen.filter((name) => name === method).length;
  return { url: `http://127.0.0.1:${(http.address() as AddressInfo).port}/mcp`, answers, asked };
}

const modern = (): Answer => ({ result: DISCOVERED });
const initialize = ({ params }: Message): Answer => ({
  result: {
    protocolVersion: params?.protocolVersion,
    capabilities: {},
    serverInfo: { name: "switching", version: "1" },
  },
});

/** The store that survives a restart. */
function openStore(): {
  protocols: { read(name: string): Promise<string | null>; write(name: string, text: string | null): Promise<void> };
  kept: Map<string, string>;
} {
  const kept = new Map<string, string>();
  const protocols = {
    read: async (name: string) => kept.get(name) ?? null,
    write: async (name: string, text: string | null) => void (text === null ? kept.delete(name) : kept.set(name, text)),
  };
  return { protocols, kept };
}

describe("the protocol of a server", () => {
  it("is asked once and remembered over a restart when the server proved to be an older one", async () => {
    const server = await startServer({ initialize });
    const store = openStore();
    for (const _ of ["first process", "next process"]) {
      const { connections } = openBench(store);
      connections.apply(remote("old", server.url));
      expect(await connections.ready("old")).toMatchObject({ status: "connected", protocolVersion: "2025-11-25" });
      await connections.close();
    }
    expect([server.asked("server/discover"), server.asked("initialize")]).toEqual([1, 2]);
  });

  it("is asked again when the server's settings change, and when a user reconnects it", async () => {
    const server = await startServer({ initialize });
    const { connections } = openBench();
    connections.apply(remote("old", server.url));
    await connections.ready("old");
    connections.apply(remote("old", server.url, { headers: { "x-version": "2" } }));
    await connections.ready("old");
    expect(server.asked("server/discover")).toBe(2);
    server.answers["server/discover"] = modern;
    expect(await connections.reconnect("old")).toMatchObject({ protocolVersion: "2026-07-28" });
  });

  it("is learned again at once when the server refuses the remembered one", async () => {
    const server = await startServer({ initialize });
    const store = openStore();
    const before = openBench(store);
    before.connections.apply(remote("moved", server.url));
    await before.connections.ready("moved");
    await before.connections.close();
    server.answers["server/discover"] = modern;
    delete server.answers.initialize;
    const { connections } = openBench(store);
    connections.apply(remote("moved", server.url));
    expect(await connections.ready("moved")).toMatchObject({ status: "connected", protocolVersion: "2026-07-28" });
    expect(store.kept.get("moved")).toContain("modern");
  });

  it.each([
    ["HTTP 429", { status: 429 }],
    ["an internal error", { error: { code: -32_603, message: "overloaded" } }],
  ])("stays the newer one when the server answers the question with %s for a while", async (_, failure: Answer) => {
    const server = await startServer({ "server/discover": modern, initialize });
    const store = openStore();
    const before = openBench(store);
    before.connections.apply(remote("busy", server.url));
    await before.connections.ready("busy");
    await before.connections.close();
    server.answers["server/discover"] = () => failure;
    const { connections } = openBench(store);
    connections.apply(remote("busy", server.url));
    await waitUntil(() => connections.state("busy")?.status === "disconnected");
    server.answers["server/discover"] = modern;
    await waitUntil(() => connections.state("busy")?.status === "connected");
    expect(connections.state("busy")?.protocolVersion).toBe("2026-07-28");
  });

  it("is not taken for the older one by a server that is too busy for the first question", async () => {
    const server = await startServer({ "server/discover": () => ({ status: 429 }), initialize });
    const { connections } = openBench();
    connections.apply(remote("busy", server.url));
    await waitUntil(() => connections.state("busy")?.status === "disconnected");
    server.answers["server/discover"] = modern;
    await waitUntil(() => connections.state("busy")?.status === "connected");
    expect(connections.state("busy")?.protocolVersion).toBe("2026-07-28");
  });
});

describe("the protocol of a server over stdio", () => {
  it.each(["probe-averse", "dual-era"])("is not asked over stdio, where 'initialize' comes first: %s", async (name) => {
    const store = openStore();
    const { connections } = openBench(store);
    connections.apply(script(name));
    expect(await connections.ready(name)).toMatchObject({ status: "connected", protocolVersion: "2025-11-25" });
    expect(connections.messages(name).some(({ method }) => method === "server/discover")).toBe(false);
    expect(store.kept.size).toBe(0);
  });

  it("is the newer one over stdio where the settings say so, and a server without it fails with the way out", async () => {
    const { connections } = openBench();
    connections.apply(script("dual-era", { protocol: "stateless" }));
    expect(await connections.ready("dual-era")).toMatchObject({ status: "connected", protocolVersion: "2026-07-28" });
    expect(connections.messages("dual-era").some(({ method }) => method === "initialize")).toBe(false);
    connections.apply(script("echo", { protocol: "stateless" }));
    const why =
      "The server does not speak protocol 2026-07-28. Its settings allow no other protocol: set its protocol to 'auto'";
    await waitUntil(() => connections.state("echo")?.reason === why);
    expect(connections.state("echo")?.status).toBe("failed");
  });

  it("is asked over stdio when the server refuses 'initialize', and remembered", async () => {
    const store = openStore();
    const newer = { status: "connected", protocolVersion: "2026-07-28" };
    const { connections } = openBench(store);
    connections.apply(script("stateless"));
    expect(await connections.ready("stateless")).toMatchObject(newer);
    await connections.close();
    const next = openBench(store);
    next.connections.apply(script("stateless"));
    expect(await next.connections.ready("stateless")).toMatchObject(newer);
    expect(next.connections.messages("stateless").some(({ method }) => method === "initialize")).toBe(false);
  });
});

describe("the protocol of a server whose settings or release changed", () => {
  it("names the setting that helps where the server was replaced by an older one, and is learned when it is reconnected", async () => {
    const server = await startServer({ "server/discover": modern, initialize });
    const { connections } = openBench();
    connections.apply(remote("replaced", server.url));
    await connections.ready("replaced");
    server.answers["server/discover"] = () => ({ status: 500 });
    connections.apply(remote("replaced", server.url, { enabled: false }));
    connections.apply(remote("replaced", server.url));
    await waitUntil(() => connections.state("replaced")?.status === "disconnected");
    expect(connections.state("replaced")?.reason).toMatch(/press 'Reconnect' or set its protocol to 'legacy'/);
    expect(await connections.reconnect("replaced")).toMatchObject({ protocolVersion: "2025-11-25" });
  });

  it("is never asked when the settings name it, nor remembered", async () => {
    const server = await startServer({ "server/discover": modern, initialize });
    const store = openStore();
    const { connections } = openBench(store);
    connections.apply(remote("fixed", server.url, { protocol: "legacy" }));
    expect(await connections.ready("fixed")).toMatchObject({ protocolVersion: "2025-11-25" });
    expect([server.asked("server/discover"), store.kept.size]).toEqual([0, 0]);
  });
});

describe("the protocol of a server that is silent for a while", () => {
  it("is tried as the older one after silence and not remembered, since the server may have been down", async () => {
    const never = new Promise(() => undefined);
    const server = await startServer({ "server/discover": () => ({ hold: never }), initialize });
    const store = openStore();
    const { connections } = openBench(store);
    connections.apply(remote("silent", server.url, { connectTimeoutMs: 2000 }));
    expect(await connections.ready("silent")).toMatchObject({ status: "connected", protocolVersion: "2025-11-25" });
    expect(connections.log("silent").some(({ text }) => /protocol to 'legacy'/.test(text))).toBe(true);
    expect(store.kept.size).toBe(0);
  });

  it("stays the newer one over HTTP where it is known, however slow the answer is", async () => {
    const server = await startServer({ "server/discover": modern, initialize });
    const { connections } = openBench();
    connections.apply(remote("slow", server.url));
    await connections.ready("slow");
    let answer = (): void => undefined;
    const hold = new Promise<void>((resolve) => {
      answer = resolve;
    });
    server.answers["server/discover"] = () => ({ hold, result: DISCOVERED });
    connections.apply(remote("slow", server.url, { enabled: false }));
    connections.apply(remote("slow", server.url));
    await waitUntil(() => server.asked("server/discover") === 2);
    setTimeout(answer, SLOW_MS);
    expect(await connections.ready("slow")).toMatchObject({ status: "connected", protocolVersion: "2026-07-28" });
  });
});
