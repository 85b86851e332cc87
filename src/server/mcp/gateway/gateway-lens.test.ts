import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { afterEach, describe, expect, it } from "vitest";
import { LOCAL_PRINCIPAL } from "../../../lib/contract/access";
import type { ToolDefinition } from "../../../lib/contract/tool-definition";
import { toolsetInputSchema } from "../../../lib/contract/toolset";
import { prepareToolset } from "../../engine/toolsets/prepare-toolset";
import { startGateway, type TestGateway, tool } from "./gateway.test-support";
import { type GatewayContainer, newDatabaseUrl, startGatewayContainer } from "./gateway-container.test-support";

const ISSUES = { items: [{ id: 7, title: "Broken", body: "long ".repeat(100) }], total: 1 };
const RESULT = {
  content: [
    { type: "text", text: JSON.stringify(ISSUES) },
    { type: "image", data: "aGk=", mimeType: "image/png" },
  ],
  structuredContent: ISSUES,
};
const listed: ToolDefinition = {
  ...tool("tracker__list", { type: "mcp", server: "tracker", tool: "list" }),
  outputSchema: { type: "object", required: ["items", "total"] },
};

let test: TestGateway;

/** A gateway with one tool of a server, whose lens can be set. */
async function start(expression: string | null, mode: "auto" | "legacy" = "auto") {
  const lens = { now: expression };
  const find = (name: string) => (name === listed.name && lens.now !== null ? { expression: lens.now } : null);
  const received: unknown[] = [];
  const prepare = (own: string | null) =>
    prepareToolset(
      {
        ...toolsetInputSchema.parse({ name: "set", servers: ["tracker"] }),
        overrides: [{ tool: listed.name, arguments: [], lens: own }],
        createdAt: 0,
        updatedAt: 0,
      },
      { definitions: [listed], aliasNames: () => new Map(), createFinder: () => ({ search: () => [] }) },
    );
  const sets = { other: prepare("{ids: items[].id}"), none: prepare(null) };
  test = await startGateway({
    ports: {
      toolset: (name) => sets[name as keyof typeof sets] ?? null,
      getLens: find,
      serverNames: () => ["tracker"],
      limits: { changeDebounceMs: 10 },
    },
    engine: {
      findLens: find,
      mcp: {
        call: async (_server, _tool, _args, context) => {
          received.push(context.callerMeta);
          return RESULT as never;
        },
      },
    },
  });
  test.engine.registry.registerServerTool(listed);
  const client = new Client({ name: "t", version: "1" }, { versionNegotiation: { mode } });
  await client.connect(new StreamableHTTPClientTransport(new URL(`${test.url}/tracker`)));
  return { client, lens, received };
}

describe("a tool with a lens", () => {
  afterEach(() => test.close());

  it("answers clients with the projection and its media, and the record keeps the whole and the expression", async () => {
    const { client } = await start("items[].{id: id, title: title}");
    const [entry] = (await client.listTools()).tools;
    expect(entry).toMatchObject({ name: listed.name });
    expect(entry).not.toHaveProperty("outputSchema");
    const { content, structuredContent } = await client.callTool({ name: listed.name, arguments: {} });
    expect(content).toEqual([{ type: "text", text: '[{"id":7,"title":"Broken"}]' }, RESULT.content[1]]);
    expect(structuredContent).toBeUndefined();
    const end = test.journal.ended[0]?.end;
    expect(JSON.parse(end?.resultText ?? "")).toEqual(RESULT);
    expect(end).toMatchObject({ lens: "items[].{id: id, title: title}", lensFault: null });
    expect(end?.modelChars).toBeLessThan(end?.resultChars ?? 0);
    await client.close();
  });

  it("keeps structured content where the projection is an object", async () => {
    const { client } = await start("{ids: items[].id}");
    const result = await client.callTool({ name: listed.name, arguments: {} });
    expect(result.structuredContent).toEqual({ ids: [7] });
    await client.close();
  });

  it("gives the whole result where the expression fails, and records why", async () => {
    const { client } = await start("rows[].id");
    const result = await client.callTool({ name: listed.name, arguments: {} });
    expect(result.structuredContent).toEqual(ISSUES);
    expect(test.journal.ended[0]?.end).toMatchObject({
      lens: "rows[].id",
      lensFault: "The expression selects nothing in this result",
    });
    await client.close();
  });

  it("answers clients of a toolset through the lens that the toolset sets, or with the whole where it sets none", async () => {
    await start("total").then(({ client }) => client.close());
    const asked = async (set: string) => {
      const client = new Client({ name: "t", version: "1" }, { versionNegotiation: { mode: "auto" } });
      await client.connect(new StreamableHTTPClientTransport(new URL(`${test.url}/sets/${set}`)));
      const { tools } = await client.listTools();
      const { structuredContent } = await client.callTool({ name: listed.name, arguments: {} });
      await client.close();
      return { promised: tools[0]?.outputSchema !== undefined, structuredContent };
    };
    expect(await asked("other")).toEqual({ promised: false, structuredContent: { ids: [7] } });
    expect(await asked("none")).toEqual({ promised: true, structuredContent: ISSUES });
    expect(test.journal.ended.map(({ end }) => end.lens)).toEqual(["{ids: items[].id}", null]);
  });

  it("gives the whole result to a call that asks for it, and keeps that request from the tool's server", async () => {
    const { client, received } = await start("total");
    const _meta = { "toolroom/full": true, "acme/trace": "t1" };
    const result = await client.callTool({ name: listed.name, arguments: {}, _meta });
    expect(result.structuredContent).toEqual(ISSUES);
    expect(test.journal.ended[0]?.end.lens).toBeNull();
    expect(received).toEqual([{ "acme/trace": "t1" }]);
    await client.close();
  });

  it("announces to clients that the list changed when a lens is set", async () => {
    const { client, lens } = await start(null, "legacy");
    expect((await client.listTools()).tools[0]).toHaveProperty("outputSchema");
    const changed = new Promise<void>((resolve) => {
      client.setNotificationHandler("notifications/tools/list_changed", () => resolve());
    });
    lens.now = "total";
    test.changed();
    await changed;
    expect((await client.listTools()).tools[0]).not.toHaveProperty("outputSchema");
    await client.close();
  });
});

describe("read_result at an address where a tool has a lens", () => {
  const DEFINITION = tool("own_list", { type: "mock", mock_response: ISSUES });
  let server: GatewayContainer;
  afterEach(() => server.stop());

  async function connect(address = "") {
    const client = new Client({ name: "t", version: "1" }, { versionNegotiation: { mode: "auto" } });
    await client.connect(new StreamableHTTPClientTransport(new URL(server.url + address)));
    return client;
  }
  const readText = (result: { content: unknown }, index = 0): string =>
    (result.content as { text: string }[])[index]?.text ?? "";

  it("reads the whole of the caller's results of tools that it has there; nothing is run again", async () => {
    server = await startGatewayContainer(await newDatabaseUrl());
    const { tools, executions } = server.container.services;
    await tools.create(LOCAL_PRINCIPAL, JSON.stringify(DEFINITION));
    const before = await connect();
    expect((await before.listTools()).tools.map(({ name }) => name)).not.toContain("read_result");
    await tools.setLens(LOCAL_PRINCIPAL, "own_list", "items[].id");
    const client = await connect();
    expect((await client.listTools()).tools.map(({ name }) => name)).toContain("read_result");
    const reduced = await client.callTool({ name: "own_list", arguments: {} });
    expect(readText(reduced)).toBe("[7]");
    const execution_id = /execution_id "(exec_[^"]+)"/.exec(readText(reduced, 1))?.[1] ?? "";
    const whole = await client.callTool({ name: "read_result", arguments: { execution_id } });
    expect(JSON.parse(readText(whole))).toEqual(ISSUES);
    const title = await client.callTool({
      name: "read_result",
      arguments: { execution_id, pointer: "/items/0/title" },
    });
    expect(readText(title)).toBe("Broken");
    expect((await executions.list({ tool: ["own_list"] }, undefined, 10)).items).toHaveLength(1);

    const { modelView } = await executions.get(execution_id);
    expect(modelView).toMatchObject({ text: "[7]", lens: "items[].id", maxChars: null });

    const { id } = await executions.run(LOCAL_PRINCIPAL, { tool: "own_list", argumentsText: "{}" });
    const foreign = await client.callTool({ name: "read_result", arguments: { execution_id: id } });
    expect([foreign.isError, readText(foreign)]).toEqual([true, expect.stringContaining(`There is no result '${id}'`)]);
    await Promise.all([before.close(), client.close()]);
  });
});
