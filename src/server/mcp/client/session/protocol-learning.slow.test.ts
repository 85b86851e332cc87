import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { describe, expect, it, onTestFinished } from "vitest";
import { waitUntil } from "../../../../lib/wait-until.test-support";
import { buildContext, openBench, readText, remote, script } from "../connections.test-support";

type Answer = { status?: number; result?: object; error?: { code: number; message: string }; hold?: Promise<unknown> };
interface Message {
  id?: number | string;
  method: string;
  params?: { protocolVersion?: string };
}

const DISCOVERED = {
  resultType: "complete",
  supportedVersions: ["2026-07-28"],
  capabilities: {},
  ttlMs: 0,
  cacheScope: "private",
};
const NOT_FOUND: Answer = { error: { code: -32_601, message: "Method not found" } };

/** An HTTP server whose answers a test changes while it runs. */
async function startServer(answers: Record<string, (message: Message) => Answer>, onFinished = onTestFinished) {
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
  onFinished(() => {
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

  it("is asked again when the server's settings change, and when a person reconnects it", async () => {
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

  it("is remembered as the older one when the process exits because of the question", async () => {
    const store = openStore();
    const { connections } = openBench(store);
    connections.apply(script("probe-averse", { name: "ends" }));
    expect((await connections.ready("ends")).status).toBe("connected");
    expect(readText(await connections.call("ends", "ok", {}, buildContext()))).toBe("initialized");
    expect(store.kept.get("ends")).toContain("legacy");
    await connections.close();
    const next = openBench(store);
    next.connections.apply(script("probe-averse", { name: "ends" }));
    await next.connections.ready("ends");
    expect(next.connections.messages("ends").some(({ method }) => method === "server/discover")).toBe(false);
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

// They wait for servers that say nothing, all at the same time.
describe.concurrent("the protocol of a server that is silent for a while", () => {
  it("does not depend on how long the server takes for its first answer", async ({ onTestFinished: onFinished }) => {
    const { connections } = openBench({ onFinished });
    connections.apply(script("dual-era", { args: ["3500"] }));
    expect(await connections.ready("dual-era")).toMatchObject({ status: "connected", protocolVersion: "2026-07-28" });
  });

  it("is remembered as the older one after silence and a quick answer to 'initialize', so that the next connect is fast", async ({
    onTestFinished: onFinished,
  }) => {
    const store = openStore();
    const deaf = script("probe-averse", { name: "deaf", args: ["deaf"], connectTimeoutMs: 10_000 });
    const { connections } = openBench({ ...store, onFinished });
    connections.apply(deaf);
    expect(await connections.ready("deaf")).toMatchObject({ status: "connected", protocolVersion: "2025-11-25" });
    await connections.close();
    const next = openBench({ ...store, onFinished });
    next.connections.apply(deaf);
    expect(await next.connections.ready("deaf")).toMatchObject({ status: "connected", protocolVersion: "2025-11-25" });
    expect(next.connections.messages("deaf").some(({ method }) => method === "server/discover")).toBe(false);
  });

  it("is asked again after silence when a person reconnects the server or gives it more time", async ({
    onTestFinished: onFinished,
  }) => {
    const { connections } = openBench({ onFinished });
    const deaf = { name: "deaf", args: ["deaf"] };
    const asked = (): number =>
      connections.messages("deaf").filter(({ method }) => method === "server/discover").length;
    connections.apply(script("probe-averse", { ...deaf, connectTimeoutMs: 8000 }));
    await connections.ready("deaf");
    const once = asked();
    expect(once).toBeGreaterThan(0);
    connections.apply(script("probe-averse", { ...deaf, connectTimeoutMs: 7000 }));
    await connections.ready("deaf");
    expect(asked()).toBe(once);
    connections.apply(script("probe-averse", { ...deaf, connectTimeoutMs: 9000 }));
    await waitUntil(() => asked() > once);
    connections.apply(script("probe-averse", { ...deaf, connectTimeoutMs: 7000 }));
    await connections.ready("deaf");
    const before = asked();
    void connections.reconnect("deaf");
    await waitUntil(() => asked() > before);
  });

  it("is tried as the older one after silence and not remembered when the process starts slowly too", async ({
    onTestFinished: onFinished,
  }) => {
    const store = openStore();
    const { connections } = openBench({ ...store, onFinished });
    connections.apply(script("probe-averse", { name: "slow", args: ["deaf", "700"], connectTimeoutMs: 4000 }));
    expect(await connections.ready("slow")).toMatchObject({ status: "connected", protocolVersion: "2025-11-25" });
    expect(connections.log("slow").some(({ text }) => /Set its protocol to 'legacy'/.test(text))).toBe(true);
    expect(store.kept.size).toBe(0);
  });

  it("is tried as the older one after silence and not remembered over HTTP, where the server may have been down", async ({
    onTestFinished: onFinished,
  }) => {
    const never = new Promise(() => undefined);
    const server = await startServer({ "server/discover": () => ({ hold: never }), initialize }, onFinished);
    const store = openStore();
    const { connections } = openBench({ ...store, onFinished });
    connections.apply(remote("silent", server.url, { connectTimeoutMs: 2000 }));
    expect(await connections.ready("silent")).toMatchObject({ status: "connected", protocolVersion: "2025-11-25" });
    expect(store.kept.size).toBe(0);
  });
});
