import { expect, it, vi } from "vitest";
import type { ExecutionDetail } from "../../../lib/contract/execution";
import type { ToolDefinition } from "../../../lib/contract/tool-definition";
import type { ContentChange } from "../../engine/mcp-ports";
import { createAppService } from "./app-service";

const ADA = { id: "ada", name: "Ada" };
const EXECUTION = "exec_shown0001";
const MIME = "text/html;profile=mcp-app";

function buildTool(tool: string, ui: object, server = "shop"): ToolDefinition {
  return {
    name: `${server}__${tool}`,
    description: tool,
    type: "function",
    handler: tool,
    parameters: { type: "object" },
    implementation: { type: "mcp", server, tool },
    _meta: { ui },
  };
}

const SHOW = buildTool("show", { resourceUri: "ui://shop/view" });
const OWN = { ...SHOW, implementation: { type: "mock" as const, mock_response: {} } };
const TOOLS = [
  SHOW,
  buildTool("buy", { visibility: ["app"] }),
  buildTool("think", { visibility: ["model"] }),
  buildTool("buy", {}, "other"),
];

interface Setup {
  definition?: ToolDefinition | null;
  content?: object | null;
  listed?: object[];
  gone?: boolean;
}

function setUp({ definition = SHOW, content, listed = [], gone = false }: Setup = {}) {
  const html = { uri: "ui://shop/view", mimeType: MIME, text: "<p>shop</p>" };
  let connectedAt = 1;
  let tellChange: (server: string, change: ContentChange) => void = () => undefined;
  const read = vi.fn(async () => ({
    success: true as const,
    result: { contents: content === null ? [] : [{ ...html, ...content }] },
    tool_name: "",
    execution_time_ms: 1,
    execution_id: "exec_read0001",
    status: "succeeded" as const,
  }));
  const run = vi.fn(async () => ({ id: "exec_call0001", received: null }) as ExecutionDetail);
  const service = createAppService({
    executions: {
      readAll: () => ({ get: async (id: string) => ({ id, definition }) as ExecutionDetail }) as never,
      run,
    },
    content: {
      read,
      listNow: async () => listed as Record<string, unknown>[],
      listen: (listener) => {
        tellChange = listener;
        return () => true;
      },
    },
    requireServer: () => {
      if (gone) throw new Error("unknown");
    },
    connectedAt: () => connectedAt,
    tools: { get: (name) => TOOLS.find((tool) => tool.name === name), list: () => TOOLS },
    newId: () => "exec_new00001",
  });
  return {
    service,
    read,
    run,
    open: (fresh = false) => service.open(ADA, { executionId: EXECUTION, fresh }),
    call: (tool: string) =>
      service.callTool(ADA, { executionId: EXECUTION, tool, argumentsText: "{}", callExecutionId: "exec_call0001" }),
    reconnect: () => {
      connectedAt += 1;
    },
    change: (server: string) => tellChange(server, { type: "resources" }),
  };
}

it("reads an App once, and again when its server reconnects, changes its resources, or the user wants it", async () => {
  const { open, read, reconnect, change } = setUp();
  expect(await open()).toMatchObject({
    html: "<p>shop</p>",
    server: "shop",
    uri: "ui://shop/view",
    tool: { name: "show" },
  });
  change("other");
  await Promise.all([open(), open()]);
  expect(read).toHaveBeenCalledTimes(1);
  for (const cause of [() => open(true), reconnect, () => change("shop")]) {
    await cause();
    await open();
  }
  expect(read).toHaveBeenCalledTimes(4);
});

it("takes the policy from the answer, and from the server's list where the answer has none", async () => {
  const csp = (domain: string) => ({
    _meta: { ui: { csp: { connectDomains: [domain] }, permissions: { camera: {} } } },
  });
  const listed = [{ uri: "ui://shop/view", ...csp("https://listed.example") }];
  expect((await setUp({ listed }).open()).domains.connect).toEqual(["https://listed.example"]);
  const answered = await setUp({ listed, content: csp("https://read.example") }).open();
  expect(answered).toMatchObject({ domains: { connect: ["https://read.example"] }, permissions: ["camera"] });
});

it.each<[string, Setup, RegExp]>([
  [
    "another type",
    { content: { mimeType: "text/html" } },
    /has the type 'text\/html', not 'text\/html;profile=mcp-app'/,
  ],
  ["no content", { content: null }, /is empty/],
  ["no text", { content: { text: 7 } }, /has no text/],
  ["a size over the limit", { content: { text: "x".repeat(4_194_305) } }, /larger than 4 MiB/],
  ["a server that is gone", { gone: true }, /'shop' is no longer registered. Add it again under Servers/],
  ["a tool without an App", { definition: buildTool("plain", {}) }, /has no App/],
  [
    "an address that is not ui://",
    { definition: buildTool("web", { resourceUri: "https://a.example" }) },
    /has to name a ui:\/\/ resource/,
  ],
  ["an execution without a definition", { definition: null }, /has no App/],
  ["a tool of Toolroom itself", { definition: OWN }, /has no App/],
])("says what is wrong with %s", async (_, setup, message) => {
  await expect(setUp(setup).open()).rejects.toThrow(message);
});

it("reads an App that is base64", async () => {
  const blob = Buffer.from("<p>é</p>").toString("base64");
  const content = { text: undefined, blob, mimeType: "Text/HTML; profile=mcp-app" };
  expect((await setUp({ content }).open()).html).toBe("<p>é</p>");
});

it("runs a call of an App's own server as an execution of its own, linked to the one that the App shows", async () => {
  const { call, run } = setUp();
  await call("buy");
  expect(run).toHaveBeenCalledWith(
    ADA,
    expect.objectContaining({
      tool: "shop__buy",
      callId: EXECUTION,
      client: "ui://shop/view",
      executionId: "exec_call0001",
    }),
    "app",
  );
});

it("runs no tool that is kept for models, of another server, or unknown", async () => {
  const { call, run, service } = setUp();
  await expect(call("think")).rejects.toThrow(/not for Apps/);
  await expect(call("other__buy")).rejects.toThrow(/no enabled tool/);
  await expect(call("../other__buy")).rejects.toThrow(/no enabled tool/);
  expect(run).not.toHaveBeenCalled();
  const listed = await service.request(ADA, { executionId: EXECUTION, method: "tools/list" });
  expect((listed as { tools: { name: string }[] }).tools.map(({ name }) => name)).toEqual(["show", "buy"]);
});

it("reads resources for an App, recorded as its own", async () => {
  const { service, read } = setUp();
  const asked = { executionId: EXECUTION, method: "resources/read" as const };
  await expect(service.request(ADA, asked)).rejects.toThrow(/uri/);
  expect(await service.request(ADA, { ...asked, uri: "note://one" })).toHaveProperty("contents");
  expect(read).toHaveBeenCalledWith(
    "shop",
    "note://one",
    expect.objectContaining({ source: "app", callId: EXECUTION }),
  );
});
