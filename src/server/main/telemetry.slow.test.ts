import path from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { LOCAL_PRINCIPAL } from "../../lib/contract/access";
import { waitUntil } from "../../lib/wait-until.test-support";
import { type GatewayContainer, type RawClient, rawClient } from "../mcp/gateway/gateway-container.test-support";
import { Collector, type ReceivedSpan } from "../platform/telemetry/collector.test-support";
import { type RecordingServer, startRecordingServer, startTraced } from "./telemetry.test-support";

const BUCKETS = [0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 30, 60, 120, 300];
const SERVER = 2;
const CLIENT = 3;
const INTERNAL = 1;
const ERROR = 2;
const TRACE = "0af7651916cd43dd8448eb211c80319c";
const CALLER = `00-${TRACE}-b7ad6b7169203331-01`;
const EXOTIC = path.resolve("e2e/support/mcp-servers/exotic.mjs");
const NO_REQUEST = { params: {} as Record<string, unknown>, headers: {} };
const text = expect.any(String);
const port = expect.any(Number);

let collector: Collector;
let recording: RecordingServer;
let running: GatewayContainer;
let client: RawClient;

/** Everything that happens in these tests, once: the collector gets it when the server ends. */
beforeAll(async () => {
  collector = await Collector.start();
  recording = await startRecordingServer();
  running = await startTraced(
    {
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
      OTEL_EXPORTER_OTLP_HEADERS: "x-tenant=acme,authorization=Bearer%20top-secret",
      OTEL_SERVICE_NAME: "gateway-of-acme",
      OTEL_RESOURCE_ATTRIBUTES: "deployment.environment.name=test",
      OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT: "true",
    },
    recording,
  );
  const { services } = running.container;
  await services.servers.create(LOCAL_PRINCIPAL, {
    name: "exotic",
    transport: "stdio",
    command: process.execPath,
    args: [EXOTIC],
  });
  await services.servers.reconnect(LOCAL_PRINCIPAL, "exotic");
  client = await rawClient(running.url, "2025-11-25");
  await client.ask("tools/list");
  const call = (name: string, meta: object = {}, args: object = {}) =>
    client.ask("tools/call", { name, arguments: args, _meta: meta });
  await call("rec__echo", { traceparent: CALLER, tracestate: "vendor=1", baggage: "user=ada", "example.com/key": 1 });
  await call("rec__fails", {}, { note: "wrong" });
  await call("rec__breaks");
  await call("no_such_tool");
  await call("exotic__numbers", { traceparent: "00-not-a-trace-01", tracestate: "evil=1" });
  await client.ask("prompts/get", { name: "rec__greet" });
  await services.servers.create(LOCAL_PRINCIPAL, {
    name: "own",
    transport: "stdio",
    command: process.execPath,
    args: [path.resolve("e2e/support/mcp-servers/echo.mjs")],
    credentials: { mode: "personal", slots: [{ name: "SERVER_NAME", label: "Name" }] },
  });
  await services.credentials.save(LOCAL_PRINCIPAL, "own", { SERVER_NAME: "planted-name-of-the-owner" });
  await services.credentials.test(LOCAL_PRINCIPAL, "own");
  await waitUntil(() => services.tools.list().items.some(({ name }) => name === "own__who"));
  await call("own__who", {}, { note: "planted-argument" });
  const { result } = (await client.ask("resources/list")).at(-1) ?? {};
  const [{ uri = "" } = {}] = (result?.resources ?? []) as { uri?: string }[];
  await client.ask("resources/read", { uri });
  await client.ask("made/up");
  await fetch(running.url, {
    method: "POST",
    headers: {
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
      "mcp-protocol-version": "2026-07-28",
      "mcp-method": "tools/call",
      "mcp-name": "rec__echo",
      traceparent: CALLER.replace("b7ad", "c7ad"),
      tracestate: "edge=2",
      baggage: "tenant=acme",
    },
    body: JSON.stringify({
      jsonrpc: "2.0",
      id: "from-headers",
      method: "tools/call",
      params: {
        name: "rec__echo",
        arguments: {},
        _meta: {
          "io.modelcontextprotocol/protocolVersion": "2026-07-28",
          "io.modelcontextprotocol/clientInfo": { name: "raw", version: "1" },
          "io.modelcontextprotocol/clientCapabilities": {},
        },
      },
    }),
  }).then((response) => response.text());
  const settings = { provider: "demo", model: "demo", instructions: "", tools: { mode: "all" as const } };
  const run = await services.runs.start(LOCAL_PRINCIPAL, { settings, text: "run calculator" });
  await waitUntil(async () => (await services.runs.get(run.id)).status === "succeeded");
  runId = run.id;
  process.kill(services.servers.get("exotic").state.pid ?? 0, "SIGKILL");
  await waitUntil(() => services.servers.get("exotic").state.status !== "connected");
  await running.stop();
}, 60_000);
afterAll(async () => {
  await recording.stop();
  await collector.stop();
});
let runId = "";

const findServerSpan = (name: string): ReceivedSpan => collector.find(name, SERVER);
/** The span of the request to the server behind a gateway's request. */
function followUpstream(name: string): { server: ReceivedSpan; execution: ReceivedSpan; upstream: ReceivedSpan } {
  const server = findServerSpan(name);
  const [execution] = collector.childrenOf(server);
  const [upstream] = collector.childrenOf(execution as ReceivedSpan);
  return { server, execution: execution as ReceivedSpan, upstream: upstream as ReceivedSpan };
}

it("the spans of a call with a personal credential have neither its arguments nor its result", () => {
  const { server, execution } = followUpstream("tools/call own__who");
  for (const span of [server, execution]) {
    expect(span.attributes).not.toHaveProperty(["gen_ai.tool.call.arguments"]);
    expect(span.attributes).not.toHaveProperty(["gen_ai.tool.call.result"]);
  }
  expect(JSON.stringify([server, execution])).not.toContain("planted");
});

describe("a tool call through the gateway", () => {
  const gatewayFacts = () => ({
    "mcp.method.name": "tools/call",
    "gen_ai.operation.name": "execute_tool",
    "mcp.protocol.version": "2025-11-25",
    "mcp.session.id": text,
    "jsonrpc.request.id": text,
    "network.transport": "tcp",
    "network.protocol.name": "http",
    "network.protocol.version": "1.1",
    "client.address": "127.0.0.1",
    "client.port": port,
    "gen_ai.tool.call.arguments": text,
  });
  const upstreamFacts = () => ({
    "mcp.method.name": "tools/call",
    "gen_ai.operation.name": "execute_tool",
    "mcp.protocol.version": "2025-11-25",
    "mcp.session.id": recording.sessionId,
    "jsonrpc.request.id": text,
    "network.transport": "tcp",
    "network.protocol.name": "http",
    "server.address": "127.0.0.1",
    "server.port": recording.port,
    "toolroom.server.name": "rec",
  });

  it("is three spans of the caller's trace, with the attributes of the conventions", () => {
    const { server, execution, upstream } = followUpstream("tools/call rec__echo");
    expect(server).toMatchObject({ kind: SERVER, traceId: TRACE, parentSpanId: "b7ad6b7169203331", status: 0 });
    expect(server.traceState).toBe("vendor=1");
    expect(server.attributes).toEqual({
      ...gatewayFacts(),
      "gen_ai.tool.name": "rec__echo",
      "gen_ai.tool.call.result": text,
    });
    expect(execution).toMatchObject({ kind: INTERNAL, name: "execute_tool rec__echo", traceId: TRACE, status: 0 });
    expect(execution.attributes).toEqual({
      "gen_ai.operation.name": "execute_tool",
      "gen_ai.tool.name": "rec__echo",
      "gen_ai.tool.call.arguments": "{}",
      "gen_ai.tool.call.result": text,
      "toolroom.execution.id": expect.stringMatching(/^exec_/),
      "toolroom.source": "gateway",
    });
    expect(upstream).toMatchObject({ kind: CLIENT, name: "tools/call echo", traceId: TRACE, status: 0 });
    expect(upstream.attributes).toEqual({ ...upstreamFacts(), "gen_ai.tool.name": "echo" });
  });

  it("names its own span to the server, in `_meta` and in headers, and keeps the caller's other keys", () => {
    const { upstream } = followUpstream("tools/call rec__echo");
    const { params, headers } = recording.calls()[0] ?? NO_REQUEST;
    const context = {
      traceparent: `00-${TRACE}-${upstream.spanId}-01`,
      tracestate: "vendor=1",
      baggage: "user=ada",
    };
    expect(params._meta).toMatchObject({ ...context, "example.com/key": 1 });
    expect(headers).toMatchObject(context);
  });

  it("has the class of a tool's failure, and the failed result", () => {
    const { server, execution, upstream } = followUpstream("tools/call rec__fails");
    for (const span of [server, execution, upstream]) {
      expect(span).toMatchObject({ status: ERROR, attributes: { "error.type": "tool_error" } });
      expect(span.attributes).not.toHaveProperty("rpc.response.status_code");
    }
    expect(execution.attributes["gen_ai.tool.call.arguments"]).toBe('{"note":"wrong"}');
    expect(server.parentSpanId).toBeUndefined();
  });

  it("has the code of the protocol's error on both sides", () => {
    const { server, upstream } = followUpstream("tools/call rec__breaks");
    for (const span of [server, upstream]) {
      expect(span.status).toBe(ERROR);
      expect(span.attributes).toMatchObject({ "rpc.response.status_code": "-32050", "error.type": "-32050" });
    }
  });

  it("of an unknown tool is no failure of the gateway", () => {
    const span = findServerSpan("tools/call no_such_tool");
    expect(span.status).toBe(0);
    expect(span.attributes["rpc.response.status_code"]).toBe("-32602");
    expect(span.attributes).not.toHaveProperty("error.type");
  });

  it("starts a trace of its own after a malformed context, and runs over a pipe for a stdio server", () => {
    const { server, upstream } = followUpstream("tools/call exotic__numbers");
    expect([server.parentSpanId, server.traceState]).toEqual([undefined, ""]);
    expect(upstream.attributes).toEqual({
      "mcp.method.name": "tools/call",
      "gen_ai.operation.name": "execute_tool",
      "gen_ai.tool.name": "numbers",
      "mcp.protocol.version": text,
      "jsonrpc.request.id": text,
      "network.transport": "pipe",
      "toolroom.server.name": "exotic",
    });
  });

  it("takes the context of the HTTP request where `_meta` has none, and passes it on", () => {
    const server = collector.spans.find(({ attributes }) => attributes["jsonrpc.request.id"] === "from-headers");
    expect(server).toMatchObject({ traceId: TRACE, parentSpanId: "c7ad6b7169203331", traceState: "edge=2" });
    expect(server?.attributes).toMatchObject({ "mcp.protocol.version": "2026-07-28" });
    const { params } = recording.calls().at(-1) ?? NO_REQUEST;
    expect(params._meta).toMatchObject({ tracestate: "edge=2", baggage: "tenant=acme" });
    expect((params._meta as { traceparent: string }).traceparent).toMatch(new RegExp(`^00-${TRACE}-`));
  });
});

describe("other requests", () => {
  it("have their method as their name, and a prompt or a resource as an attribute", () => {
    expect(findServerSpan("initialize").attributes).toMatchObject({
      "mcp.method.name": "initialize",
      "mcp.protocol.version": "2025-11-25",
      "mcp.session.id": text,
    });
    expect(findServerSpan("tools/list").attributes).not.toHaveProperty("gen_ai.operation.name");
    expect(findServerSpan("prompts/get rec__greet").attributes["gen_ai.prompt.name"]).toBe("rec__greet");
    expect(findServerSpan("resources/read").attributes["mcp.resource.uri"]).toContain("memo://one");
    expect(collector.find("prompts/get greet", CLIENT).attributes["gen_ai.prompt.name"]).toBe("greet");
    expect(collector.find("resources/read", CLIENT).attributes["mcp.resource.uri"]).toBe("memo://one");
    expect(collector.find("initialize", CLIENT).attributes).toMatchObject({ "server.port": port });
  });

  it("of an unknown method share one name", () => {
    expect(findServerSpan("_OTHER").attributes["mcp.method.name"]).toBe("_OTHER");
  });
});

describe("a run", () => {
  it("is one span with those of its model requests and tools", () => {
    const run = collector.find("invoke_agent", INTERNAL);
    expect(run).toMatchObject({ status: 0, parentSpanId: undefined });
    expect(run.attributes).toEqual({
      "gen_ai.operation.name": "invoke_agent",
      "gen_ai.conversation.id": runId,
      "gen_ai.provider.name": "demo",
      "gen_ai.request.model": "demo",
    });
    const children = collector.childrenOf(run);
    expect(children.map(({ name }) => name)).toEqual(["chat demo", "execute_tool calculator", "chat demo"]);
    const [chat, execution] = children;
    expect(chat).toMatchObject({ kind: CLIENT, status: 0 });
    expect(chat?.attributes).toMatchObject({
      "gen_ai.operation.name": "chat",
      "gen_ai.provider.name": "demo",
      "gen_ai.request.model": "demo",
      "gen_ai.request.stream": true,
      "gen_ai.conversation.id": runId,
      "gen_ai.response.finish_reasons": ["tool_calls"],
    });
    expect(execution?.attributes).toMatchObject({
      "gen_ai.tool.call.id": text,
      "gen_ai.conversation.id": runId,
      "toolroom.source": "agent",
    });
  });
});

describe("metrics and the resource", () => {
  it.each(["mcp.client.operation.duration", "mcp.server.operation.duration"])(
    "%s has the conventions' buckets, unit and attributes",
    (name) => {
      const points = collector.metric(name);
      expect(collector.metrics.find((metric) => metric.name === name)?.unit).toBe("s");
      for (const { bounds } of points) expect(bounds).toEqual(BUCKETS);
      const failed = points.find(({ attributes }) => attributes["error.type"] === "tool_error");
      expect(failed).toMatchObject({
        count: 1,
        attributes: {
          "mcp.method.name": "tools/call",
          "gen_ai.operation.name": "execute_tool",
          "mcp.protocol.version": "2025-11-25",
          "network.transport": "tcp",
          ...(name.startsWith("mcp.client") && { "server.address": "127.0.0.1", "server.port": recording.port }),
        },
      });
      for (const { attributes } of points) {
        expect(Object.keys(attributes)).not.toContain("jsonrpc.request.id");
        expect(attributes["gen_ai.tool.name"]).not.toBe("no_such_tool");
      }
    },
  );

  it.each(["mcp.client.session.duration", "mcp.server.session.duration"])(
    "%s is recorded when a session ends",
    (name) => {
      const points = collector.metric(name);
      for (const point of points) {
        expect(point).toMatchObject({ bounds: BUCKETS, attributes: { "mcp.protocol.version": text } });
      }
      const lost = points.filter(({ attributes }) => attributes["error.type"] === "connection_lost");
      expect(lost.map(({ attributes }) => attributes["network.transport"])).toEqual(
        name.startsWith("mcp.client") ? ["pipe"] : [],
      );
      expect(points.length).toBeGreaterThan(lost.length);
    },
  );

  it("the standard variables name the service, its attributes and the headers", () => {
    expect(collector.spans[0]?.resource).toMatchObject({
      "service.name": "gateway-of-acme",
      "service.version": text,
      "service.instance.id": text,
      "deployment.environment.name": "test",
    });
    const paths = new Set(collector.headers.map((headers) => headers.path));
    expect(paths).toEqual(new Set(["/v1/traces", "/v1/metrics"]));
    expect(collector.headers[0]).toMatchObject({ "x-tenant": "acme", authorization: "Bearer top-secret" });
  });
});

describe("with other settings", () => {
  async function callTraced(
    variables: Record<string, string>,
  ): Promise<{ meta: Record<string, unknown>; own: Collector }> {
    const own = await Collector.start();
    const upstream = await startRecordingServer();
    const endpoint = Object.fromEntries(
      Object.entries(variables).map(([name, value]) => [name, value.replace("$URL", own.url)]),
    );
    const traced = await startTraced(endpoint, upstream);
    try {
      const caller = await rawClient(traced.url, "2025-11-25");
      await caller.ask("tools/call", { name: "rec__echo", arguments: {}, _meta: { traceparent: CALLER } });
      const { params } = upstream.calls()[0] ?? NO_REQUEST;
      await traced.stop();
      return { meta: params._meta as Record<string, unknown>, own };
    } finally {
      await upstream.stop();
      await own.stop();
    }
  }

  it("metrics alone leave the caller's context as it is, and no key of Toolroom's reaches the server", async () => {
    const { meta, own } = await callTraced({ OTEL_EXPORTER_OTLP_METRICS_ENDPOINT: "$URL/v1/metrics" });
    expect(meta).toEqual({ traceparent: CALLER, progressToken: port });
    expect(own.spans).toEqual([]);
    const calls = own
      .metric("mcp.server.operation.duration")
      .filter(({ attributes }) => attributes["gen_ai.tool.name"]);
    expect(calls.map(({ count }) => count)).toEqual([1]);
  });

  it("the sampler of OTEL_TRACES_SAMPLER decides, and peers hear of it", async () => {
    const { meta, own } = await callTraced({
      OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: "$URL/v1/traces",
      OTEL_TRACES_SAMPLER: "traceidratio",
      OTEL_TRACES_SAMPLER_ARG: "0",
    });
    expect(meta.traceparent).toMatch(new RegExp(`^00-${TRACE}-[0-9a-f]{16}-00$`));
    expect([own.spans, own.metrics]).toEqual([[], []]);
  });

  it("OTEL_SDK_DISABLED switches everything off", async () => {
    const { meta, own } = await callTraced({ OTEL_EXPORTER_OTLP_ENDPOINT: "$URL", OTEL_SDK_DISABLED: "true" });
    expect([meta.traceparent, own.headers]).toEqual([CALLER, []]);
  });
});
