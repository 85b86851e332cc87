import { once } from "node:events";
import { readdirSync, readFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import path from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { waitUntil } from "../../lib/wait-until.test-support";
import { streamRunEvents } from "../features/runs/run-event-stream";
import { Heartbeat, HttpExchange, SessionStream } from "../mcp/fast-path/http-exchange";
import { createEventBus } from "../platform/coordination/live-event-bus";
import { EVENT_STREAM_HEADERS, HEARTBEAT_MS } from "../platform/shared/responses";
import { ROUTES } from "./api/rest/routes";
import { appRouter } from "./api/root";

const FOLDERS = ["src/server", "src/app"];
/** Every file that answers with a stream that may be silent: each is tried below. */
const STREAMS = [
  "src/app/api/trpc/[trpc]/route.ts",
  "src/server/features/runs/run-event-stream.ts",
  "src/server/mcp/fast-path/http-exchange.ts",
  "src/server/platform/events/live-endpoint.ts",
];
/** Files that name the type of streams without answering with one: clients, what passes streams on, and a bridge for one program on loopback. */
const READERS = [
  "src/app/_live/live-source.ts",
  "src/server/features/runs/run-operations.ts",
  "src/server/mcp/client/transport/http-channel.ts",
  "src/server/mcp/client/transport/node-fetch.ts",
  "src/server/mcp/conformance/exchange.ts",
  "src/server/mcp/conformance/peer.ts",
  "src/server/mcp/conformance/stdio-bridge.ts",
  "src/server/mcp/conformance/transport-checks.ts",
  "src/server/mcp/fast-path/event-splitter.ts",
  "src/server/mcp/fast-path/lean-transport.ts",
  "src/server/mcp/gateway/gateway-dispatch.ts",
  "src/server/mcp/gateway/gateway-http.ts",
  "src/server/mcp/gateway/request-owners.ts",
  "src/server/mcp/gateway/stdio/stdio-lines.mjs",
  "src/server/platform/api/route.ts",
  "src/server/platform/outgoing/outgoing-request.ts",
  "src/server/platform/shared/responses.ts",
];

function listSources(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter(
      (entry) =>
        entry.isFile() &&
        /\.(?:ts|tsx|mjs)$/.test(entry.name) &&
        !/test|generated/.test(`${entry.parentPath}/${entry.name}`),
    )
    .map((entry) => path.join(entry.parentPath, entry.name));
}

describe("responses that come piece by piece", () => {
  it("are all known", () => {
    const found = FOLDERS.flatMap(listSources).filter((file) =>
      /text\/event-stream|EVENT_STREAM_HEADERS|fetchRequestHandler\(/.test(readFileSync(file, "utf8")),
    );
    expect(found.sort()).toEqual([...STREAMS, ...READERS].sort());
  });

  it.each(STREAMS)("%s asks proxies not to collect them", (file) => {
    expect(readFileSync(file, "utf8")).toMatch(/"x-accel-buffering": "no"|EVENT_STREAM_HEADERS/);
  });

  it("of tRPC say that they are alive while a procedure takes long", () => {
    expect(appRouter._def._config.jsonl?.pingMs).toBe(HEARTBEAT_MS);
    expect(HEARTBEAT_MS).toBeLessThanOrEqual(15_000);
  });

  it("GET routes of the REST API with events are those that are tried here", () => {
    const streaming = ROUTES.filter(({ contentType }) => contentType === "text/event-stream").map(
      ({ path: route }) => route,
    );
    expect(streaming).toEqual(["/runs/{id}/events"]);
  });
});

describe("the events of a run", () => {
  it("begin at once, and say that they are alive while the run is silent", async () => {
    const runs = {
      get: async () => ({ status: "running", eventCount: 0 }),
      readLog: async () => ({ events: [] }),
    };
    const leave = new AbortController();
    const response = await streamRunEvents(runs as never, "run_1", new Request("http://localhost/"), {
      stopping: leave.signal,
      watch: () => () => undefined,
      heartbeatMs: 5,
    });
    expect(Object.fromEntries(response.headers)).toMatchObject(EVENT_STREAM_HEADERS);
    const chunks: string[] = [];
    for await (const chunk of (response.body ?? []) as AsyncIterable<Uint8Array>) {
      chunks.push(new TextDecoder().decode(chunk));
      if (chunks.length === 4) leave.abort();
    }
    expect(chunks.slice(0, 4)).toEqual([":\n\n", ":\n\n", ":\n\n", ":\n\n"]);
  });
});

describe("live events and streams of MCP", () => {
  it("begin at once, and say that they are alive", async () => {
    const bus = createEventBus("life", { heartbeatMs: 5 });
    onTestFinished(() => bus.close());
    let written = "";
    const write = (message: Buffer): boolean => {
      written += message.toString();
      return true;
    };
    bus.open(null, { write, end: () => undefined });
    expect(written).toContain("hello");
    await waitUntil(() => written.includes("\n\n:\n\n:\n\n"));
  });

  it.each(["GET", "POST"])("%s /mcp says that it is alive", async (method) => {
    const heartbeat = new Heartbeat(5);
    const server = createServer((_request, response) => {
      const exchange = { expected: 1, batch: false, streams: true, sessionId: undefined };
      heartbeat.add(method === "GET" ? new SessionStream(response) : new HttpExchange(response, exchange), response);
    });
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    onTestFinished(() => {
      heartbeat.stop();
      server.close();
      server.closeAllConnections();
    });
    const { port } = server.address() as AddressInfo;
    const response = await fetch(`http://127.0.0.1:${port}/`, { method });
    expect(response.headers.get("x-accel-buffering")).toBe("no");
    let text = "";
    for await (const piece of response.body as unknown as AsyncIterable<Uint8Array>) {
      text += new TextDecoder().decode(piece);
      if (text.split(": keep-alive\n\n").length > 2) break;
    }
    expect(text).toMatch(/^(?:: keep-alive\n\n)+$/);
  });
});
