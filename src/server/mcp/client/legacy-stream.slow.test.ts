import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { describe, expect, it, onTestFinished } from "vitest";
import { waitUntil } from "../../../lib/wait-until.test-support";
import { buildContext, openBench, readText, remote } from "./connections.test-support";

/**
 * A server of the older HTTP with SSE: it answers what is posted on the stream that was opened last.
 * @param onStream called once a stream has named its endpoint
 */
async function legacyServer(onStream: (stream: ServerResponse) => void) {
  const openedAt: number[] = [];
  let stream: ServerResponse | null = null;
  const results: Record<string, object> = {
    initialize: {
      protocolVersion: "2024-11-05",
      capabilities: { tools: {} },
      serverInfo: { name: "old", version: "1" },
    },
    "tools/list": { tools: [{ name: "ok", inputSchema: { type: "object" } }] },
    "tools/call": { content: [{ type: "text", text: "ok" }] },
  };
  const server = createServer(async (request, response) => {
    let body = "";
    for await (const part of request.setEncoding("utf8")) body += part;
    if (request.method === "GET") {
      openedAt.push(performance.now());
      stream = response;
      response.writeHead(200, { "content-type": "text/event-stream" });
      response.write("event: endpoint\ndata: /messages\n\n");
      return onStream(response);
    }
    response.writeHead(202).end();
    const { id, method } = JSON.parse(body);
    const answer = { jsonrpc: "2.0", id, result: results[method] ?? {} };
    if (id !== undefined) stream?.write(`data: ${JSON.stringify(answer)}\n\n`);
    return method === "tools/list" && stream !== null ? onListed(stream) : undefined;
  });
  let onListed = (_stream: ServerResponse): void => undefined;
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return {
    settings: remote("web", `http://127.0.0.1:${(server.address() as AddressInfo).port}/sse`, {
      transport: "sse",
      protocol: "legacy",
    }),
    openedAt,
    afterListing(act: (listed: ServerResponse) => void): void {
      onListed = act;
    },
  };
}

const REOPEN = { minMs: 200, maxShortMs: 60_000, maxMs: 900, calmMs: 60_000 };
const listWaits = (times: readonly number[]): number[] => times.slice(1).map((at, index) => at - (times[index] ?? 0));

describe("a server of the older SSE transport", () => {
  // The stream of a connection that is open is never reopened: the connection is replaced. Before, the SDK opens it again.
  it.each(["0", "99999999999999999999"])(
    "that ends each stream at once with 'retry: %s' is asked again after waits that grow up to a limit",
    async (retry) => {
      const web = await legacyServer((stream) => void stream.end(`retry: ${retry}\n\n`));
      const { connections } = openBench({ limits: { reopen: REOPEN } });
      connections.apply(web.settings);
      await waitUntil(() => web.openedAt.length >= 6);
      // Timers may be a little early.
      for (const [index, least] of [190, 390, 790, 890, 890].entries()) {
        expect(listWaits(web.openedAt)[index]).toBeGreaterThan(least);
      }
    },
  );

  it("that ends its stream with 'retry: 0' whenever it is connected is connected again after waits that grow", async () => {
    const web = await legacyServer(() => undefined);
    web.afterListing((stream) => void stream.end("retry: 0\n\n"));
    const { connections, states } = openBench({ limits: { backoff: { initialMs: 100, maxMs: 800, factor: 2 } } });
    connections.apply(web.settings);
    await waitUntil(() => web.openedAt.length >= 6);
    expect(states.some(({ state }) => state.reason?.includes("The event stream was cut"))).toBe(true);
    // A quarter less than the longest backoff.
    for (const wait of listWaits(web.openedAt).slice(3)) expect(wait).toBeGreaterThan(590);
  });

  it("that ends its stream and wants it reopened in weeks is connected again at once", async () => {
    const web = await legacyServer(() => undefined);
    let ended = false;
    web.afterListing((stream) => {
      if (!ended) stream.end("retry: 2000000000\n\n");
      ended = true;
    });
    const { connections } = openBench();
    connections.apply(web.settings);
    await connections.ready("web");
    await waitUntil(() => web.openedAt.length >= 2);
    await connections.ready("web");
    expect(readText(await connections.call("web", "ok", {}, buildContext()))).toBe("ok");
  });

  it("that sends one event without an end is cut at the limit of a message", async () => {
    const part = "x".repeat(64 * 1024);
    let sent = 0;
    let cuts = 0;
    const web = await legacyServer(() => undefined);
    web.afterListing((stream) => {
      stream.on("close", () => {
        cuts += 1;
      });
      const write = (): void => {
        while (!stream.destroyed && sent < 100 * 1024 * 1024) {
          sent += part.length;
          if (!stream.write(part)) return;
        }
      };
      stream.on("drain", write);
      stream.write("data: ");
      write();
    });
    const { connections } = openBench({ limits: { maxMessageBytes: 1024 * 1024, reopen: REOPEN } });
    connections.apply(web.settings);
    await connections.ready("web");
    await waitUntil(() => cuts === 1);
    // The limit, and what both sockets buffer.
    expect(sent).toBeLessThan(16 * 1024 * 1024);
  });
});
