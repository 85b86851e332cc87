import path from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { LOCAL_PRINCIPAL } from "../../../lib/contract/access";
import { withoutOwnMeta } from "../client/session/own-meta";
import {
  type GatewayContainer,
  newDatabaseUrl,
  type RawClient,
  rawClient,
  startGatewayContainer,
} from "./gateway-container.test-support";
import { listDirectly, withServedExecution } from "./list-directly.test-support";

const EXOTIC = path.resolve("e2e/support/mcp-servers/exotic.mjs");
const SERVERS: Readonly<Record<string, string[]>> = {
  exotic: [EXOTIC],
  exotic_stateless: [EXOTIC, "stateless"],
  everything: [path.resolve("node_modules/@modelcontextprotocol/server-everything/dist/index.js"), "stdio"],
};
const INFO = {
  name: "exotic-server",
  title: "Exotic — a server",
  version: "7.8.9-rc.1",
  description: "Uses every corner",
  websiteUrl: "https://exotic.example/docs",
  icons: [{ src: "data:image/svg+xml;base64,PHN2Zy8+", mimeType: "image/svg+xml", sizes: ["any"], theme: "light" }],
};
const INSTRUCTIONS = "Call `meta` first.\n\n  Keep this indentation, and “these quotes”.";
const PROTOCOLS = ["2025-11-25", "2026-07-28"] as const;

let running: GatewayContainer;
beforeAll(async () => {
  running = await startGatewayContainer(await newDatabaseUrl());
  const { servers } = running.container.services;
  for (const [name, args] of Object.entries(SERVERS)) {
    await servers.create(LOCAL_PRINCIPAL, { name, transport: "stdio", command: process.execPath, args });
    await servers.reconnect(LOCAL_PRINCIPAL, name);
  }
});
afterAll(() => running.stop());

type Tool = Record<string, unknown> & { name: string };

const getAnswer = async (client: RawClient, method: string, params?: Record<string, unknown>) =>
  (await client.ask(method, params)).at(-1) ?? {};
const call = (client: RawClient, name: string, more: Record<string, unknown> = {}) =>
  getAnswer(client, "tools/call", { name, arguments: {}, ...more });
const connect = (protocol: (typeof PROTOCOLS)[number] | "2025-06-18", address: string) =>
  rawClient(running.url + address, protocol);

describe.each(PROTOCOLS)("for a client of %s, the gateway passes on unchanged", (protocol) => {
  it.each(["exotic", "everything"])("RTE-03 every field of every tool of %s", async (server) => {
    const known = (tool: Tool): Tool => withServedExecution(withoutOwnMeta(tool) as Tool, protocol) as Tool;
    const { tools: usable } = await listDirectly(SERVERS[server] ?? [], { tools: "tools/list" });
    expect(usable.length).toBeGreaterThan(5);
    const byName = (tools: Tool[]) => new Map(tools.map((tool) => [tool.name, tool]));
    const { result } = await getAnswer(await connect(protocol, `/${server}?names=plain`), "tools/list");
    expect(result?.tools).toEqual(usable.map(known));
    const all = await getAnswer(await connect(protocol, ""), "tools/list");
    const prefixed = byName(all.result?.tools as Tool[]);
    for (const tool of usable) {
      const name = `${server}__${tool.name}`;
      expect(prefixed.get(name)).toEqual({ ...known(tool), name });
    }
  });

  it.each(["exotic", "exotic_stateless"])(
    "the instructions and the identity of %s at its own address",
    async (server) => {
      expect((await connect(protocol, `/${server}`)).server).toEqual({ info: INFO, instructions: INSTRUCTIONS });
      const whole = await connect(protocol, "");
      expect(whole.server).toMatchObject({ info: { name: "toolroom", title: "Toolroom" } });
      expect(whole.server.instructions).toBeUndefined();
    },
  );

  it("a result with its `_meta` and foreign keys", async () => {
    const { result } = await call(await connect(protocol, "/exotic"), "exotic__everything");
    expect(result).toMatchObject({
      structuredContent: { n: 1 },
      "vendor/more": 2,
    });
    expect((result?._meta as Record<string, unknown> | undefined)?.["vendor/result"]).toEqual([1]);
  });

  // The SDK serializes results again.
  const onFastPath = it.skipIf(process.env.TOOLROOM_FAST_PATH === "off");
  onFastPath.each(["exotic", "exotic_stateless"])("the digits of numbers in a result of %s", async (server) => {
    const client = await connect(protocol, `/${server}?names=plain`);
    for (const fails of [false, true]) {
      await call(client, "numbers", { arguments: { fails } });
      const digits = `"isError":${fails},"content":[],"structuredContent":{"n":1.0,"big":12345678901234567890}`;
      expect(client.body()).toContain(digits);
    }
  });

  it.each(["exotic", "exotic_stateless"])("no identity of %s in a result: the gateway answers", async (server) => {
    const key = "io.modelcontextprotocol/serverInfo";
    const { result } = await call(await connect(protocol, ""), `${server}__numbers`);
    const own = protocol === "2026-07-28" ? { [key]: expect.objectContaining({ name: "toolroom" }) } : {};
    expect(result?._meta).toEqual({ "vendor/result": "kept", ...own });
  });

  it.each(["exotic", "exotic_stateless"])("nothing of %s that only Toolroom says of a tool", async (server) => {
    const name = `${server}__everything`;
    const client = await connect(protocol, "");
    const { result: listed } = await getAnswer(client, "tools/list");
    const claims = JSON.stringify([listed, await call(client, name)]);
    expect(claims).toContain("vendor/result");
    expect(claims).not.toContain("toolroom/http");
    const { items } = running.container.services.tools.list();
    expect(items.find((item) => item.name === name)?.implementationType).toBe("mcp");
    const { items: calls } = await running.container.services.executions.list({}, undefined, 1);
    const detail = await running.container.services.executions.get(calls[0]?.id ?? "");
    expect([detail.toolName, detail.resultText?.includes("toolroom/http")]).toEqual([name, false]);
  });

  it.each(["exotic", "exotic_stateless"])("logger, level and data of log messages of %s", async (server) => {
    const client = await connect(protocol, `/${server}?names=plain`);
    if (protocol !== "2026-07-28") await client.ask("logging/setLevel", { level: "debug" });
    const messages = await client.ask("tools/call", { name: "logs", arguments: {} });
    const logged = messages.filter(({ method }) => method === "notifications/message").map(({ params }) => params);
    expect(logged).toEqual([
      { level: "notice", logger: "db.pool", data: { open: 3, names: ["a", null], nested: { ok: true } } },
      { level: "emergency", data: [1, "two"] },
      { level: "warning", logger: "plain", data: "just text" },
    ]);
  });

  it.each(["exotic", "exotic_stateless"])(
    "ERR-05 code, message and data of a protocol error of %s, which is recorded as a failure",
    async (server) => {
      const client = await connect(protocol, `/${server}?names=plain`);
      expect((await call(client, "fails")).error).toEqual({
        code: -32_050,
        message: "Quota of the project is used up",
        data: { retryAfter: 30, quota: ["a"] },
      });
      expect((await call(client, "fails_bare")).error).toEqual({ code: 1234, message: "No data here" });
      const { items } = await running.container.services.executions.list({}, undefined, 1);
      expect(items[0]).toMatchObject({ toolName: `${server}__fails_bare`, status: "failed", errorKind: "tool_error" });
    },
  );

  it.each(["exotic", "exotic_stateless"])(
    "the caller's `_meta` to %s, and none of the connection's own keys",
    async (server) => {
      const client = await connect(protocol, `/${server}?names=plain`);
      const own = {
        traceparent: "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
        tracestate: "vendor=1",
        baggage: "user=ada",
        "example.com/custom": { deep: [1] },
      };
      const _meta = {
        ...own,
        progressToken: "the-client's-own",
        "io.modelcontextprotocol/related-task": { taskId: "t" },
      };
      const { result } = await call(client, "meta", { _meta });
      const received = JSON.parse((result?.content as { text: string }[] | undefined)?.[0]?.text ?? "null");
      expect(received).toMatchObject(own);
      expect(received.progressToken).not.toBe("the-client's-own");
      const foreign = Object.keys(received).filter((key) => !(key in own) && key !== "progressToken");
      expect(foreign).toEqual(
        server === "exotic"
          ? []
          : expect.arrayContaining(["io.modelcontextprotocol/protocolVersion", "io.modelcontextprotocol/clientInfo"]),
      );
      expect(received["io.modelcontextprotocol/related-task"]).toBeUndefined();
      expect(received["io.modelcontextprotocol/clientInfo"]?.name ?? "toolroom").toBe("toolroom");
    },
  );

  it("ERR-05 no error that describes the connection to the server: the caller gets a failed result", async () => {
    const { result, error } = await call(await connect(protocol, "/exotic?names=plain"), "fails_version");
    expect(error).toBeUndefined();
    expect(JSON.stringify(result)).toContain("Unsupported protocol version");
    expect(result?.isError).toBe(true);
  });

  it("plain names in its own errors where the address speaks plain names", async () => {
    const plain = await connect(protocol, "/exotic?names=plain");
    const unknown = await call(plain, "nothing_like_it");
    expect(unknown.error?.message).toBe("Tool 'nothing_like_it' not found: the server 'exotic' has no such tool");
    const refused = await call(plain, "everything", { arguments: { a: 1, b: 2 } });
    expect(JSON.stringify(refused)).not.toContain("exotic__");
    const prefixed = await call(await connect(protocol, "/exotic"), "exotic__nothing_like_it");
    expect(prefixed.error?.message).toContain("Tool 'exotic__nothing_like_it' not found");
  });
});

describe("a server that wants a user at an address first (-32042)", () => {
  it("is passed on to clients of 2025-11-25, and told in words to others", async () => {
    const name = "fails_sign_in";
    const address = "/exotic?names=plain";
    expect((await call(await connect("2025-11-25", address), name)).error).toMatchObject({
      code: -32_042,
      data: { elicitations: [{ url: "https://example.com/sign-in" }] },
    });
    for (const protocol of ["2025-06-18", "2026-07-28"] as const) {
      const { result } = await call(await connect(protocol, address), name);
      expect(JSON.stringify(result)).toContain("Open https://example.com/sign-in, then call again");
    }
  });
});

it("a tool whose server forbids tasks is refused as one, and called plainly", async () => {
  const client = await connect("2025-11-25", "/exotic?names=plain");
  const asTask = await call(client, "never_as_task", { task: {} });
  expect(asTask.error).toMatchObject({ code: -32601, message: "Tool 'never_as_task' cannot be called as a task" });
  expect((await call(client, "never_as_task")).result).toMatchObject({ content: [{ text: "plainly" }] });
});
