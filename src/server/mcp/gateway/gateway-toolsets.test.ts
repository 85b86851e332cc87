import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { LOCAL_PRINCIPAL } from "../../../lib/contract/access";
import type { ExecutionFilter } from "../../../lib/contract/execution";
import { toolsetInputSchema } from "../../../lib/contract/toolset";
import { waitUntil } from "../../../lib/wait-until.test-support";
import { type GatewayContainer, newDatabaseUrl, startGatewayContainer } from "./gateway-container.test-support";

let server: GatewayContainer;
beforeAll(async () => {
  server = await startGatewayContainer(await newDatabaseUrl());
  const { tools } = server.container.services;
  for (const name of ["send_mail", "read_mail", "wipe_mail"]) await tools.create(LOCAL_PRINCIPAL, definition(name));
});
afterAll(() => server.stop());

/** A tool that returns its arguments. */
const definition = (name: string): string =>
  JSON.stringify({
    name,
    description: `Does ${name}`,
    type: "function",
    handler: name,
    parameters: {
      type: "object",
      properties: {
        to: { type: "string" },
        folder: { type: "string" },
        copies: { type: "integer", maximum: 5 },
        trace: { type: "boolean" },
      },
      required: ["to", "folder"],
    },
    implementation: { type: "builtin", handler: "echo" },
  });

const services = () => server.container.services;
const create = (input: object) => services().toolsets.create(LOCAL_PRINCIPAL, toolsetInputSchema.parse(input));

async function connect(name: string): Promise<Client> {
  const client = new Client({ name: "t", version: "1" }, { versionNegotiation: { mode: "auto" } });
  await client.connect(new StreamableHTTPClientTransport(new URL(`${server.url}/sets/${name}`)));
  return client;
}

const list = async (filter: ExecutionFilter = {}) => (await services().executions.list(filter, undefined, 200)).items;
const newest = async () => {
  const [item] = await list();
  return await services().executions.get(item?.id ?? "");
};

describe("the address of a toolset", () => {
  it("serves what names, patterns and servers select, and nothing else runs there", async () => {
    await create({ name: "mail", tools: ["read_mail"], patterns: ["send_*"], description: "For mail only" });
    const client = await connect("mail");
    expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(["read_mail", "send_mail"]);
    expect(client.getInstructions()).toBe("For mail only");
    const { length: count } = await list();
    await expect(client.callTool({ name: "wipe_mail", arguments: { to: "a", folder: "b" } })).rejects.toMatchObject({
      code: -32602,
    });
    expect(await list()).toHaveLength(count);
    await client.close();
  });

  it("keeps tools that get another name in the catalog, with what it changes of them", async () => {
    const { tools, toolsets } = services();
    await tools.create(LOCAL_PRINCIPAL, definition("old_name"));
    await create({ name: "kept", tools: ["old_name"], overrides: [{ tool: "old_name", title: "Shown" }] });
    await tools.update(LOCAL_PRINCIPAL, "old_name", definition("new_name"));
    const client = await connect("kept");
    expect((await client.listTools()).tools).toMatchObject([{ name: "new_name", title: "Shown" }]);
    await client.close();
    await tools.setServerTools("left", [
      { ...JSON.parse(definition("left__read")), implementation: { type: "mcp", server: "left", tool: "read" } },
    ]);
    await create({ name: "kept2", tools: ["left__read"], servers: ["left"] });
    await tools.renameServerTools({ from: "left", to: "right", listed: [] });
    expect(toolsets.get("kept2")).toMatchObject({ tools: ["right__read"], servers: ["right"] });
    await tools.setServerTools("left", []);
    await tools.delete(LOCAL_PRINCIPAL, "new_name");
  });

  it("shows a tool under its own name, texts and arguments, and runs and records the real one", async () => {
    await create({
      name: "renamed",
      overrides: [
        {
          tool: "send_mail",
          name: "write_to_customer",
          title: "Write",
          description: "Writes to a customer",
          arguments: [
            { name: "folder", mode: "fixed", value: "sent" },
            { name: "copies", mode: "default", value: 2 },
            { name: "trace", mode: "hidden" },
          ],
        },
      ],
      tools: ["send_mail"],
    });
    const client = await connect("renamed");
    const [shown] = (await client.listTools()).tools;
    expect(shown).toMatchObject({ name: "write_to_customer", title: "Write", description: "Writes to a customer" });
    expect(shown?.inputSchema).toEqual({
      type: "object",
      properties: { to: { type: "string" }, copies: { type: "integer", maximum: 5, default: 2 } },
      required: ["to"],
    });
    expect(shown?._meta).toEqual({ "toolroom/tool": "send_mail" });
    const args = { to: "ada", trace: true, folder: "drafts" };
    await client.callTool({ name: "write_to_customer", arguments: args });
    const stored = await newest();
    expect(stored).toMatchObject({ toolName: "send_mail", toolset: "renamed", status: "succeeded", reason: null });
    expect(stored.argumentsText).toBe('{"folder":"sent","copies":2,"to":"ada"}');
    await expect(client.callTool({ name: "send_mail", arguments: args })).rejects.toMatchObject({ code: -32602 });
    await client.close();
  });

  it("validates the arguments that run, and names only those that the client knows", async () => {
    const client = await connect("renamed");
    const result = await client.callTool({ name: "write_to_customer", arguments: { copies: 9 } });
    const text = JSON.stringify(result.content);
    expect(result.isError).toBe(true);
    expect(text).toContain("copies");
    expect(text).toContain("- to (string)");
    expect(text).not.toContain("folder");
    expect(await newest()).toMatchObject({ toolName: "send_mail", errorKind: "invalid_arguments", toolset: "renamed" });
    await client.close();
  });

  it("shows of a recorded call the text that the client got: longer than models get, or an error in the client's names", async () => {
    await create({ name: "shown", tools: ["send_mail"], overrides: [{ tool: "send_mail", name: "post" }] });
    const client = await connect("shown");
    for (const args of [{ to: "x".repeat(30_000), folder: "a" }, { to: "ada" }]) {
      const { content } = await client.callTool({ name: "post", arguments: args });
      const { modelView } = await newest();
      expect(content).toEqual([{ type: "text", text: modelView?.text }]);
      expect(modelView).toMatchObject({ truncated: false, maxChars: null });
    }
    await client.close();
  });

  it("keeps arguments byte for byte where nothing is merged, and keeps the sent text of the others", async () => {
    const post = async (name: string, set: string, args: string) => {
      const body = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"${name}","arguments":${args},"_meta":{
        "io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{"name":"raw","version":"1"},
        "io.modelcontextprotocol/clientCapabilities":{}}}}`;
      const headers = {
        "content-type": "application/json",
        accept: "application/json, text/event-stream",
        "mcp-protocol-version": "2026-07-28",
        "mcp-method": "tools/call",
        "mcp-name": name,
      };
      expect((await fetch(`${server.url}/sets/${set}`, { method: "POST", headers, body })).status).toBe(200);
      return (await newest()).argumentsText;
    };
    const sent = '{ "to":"ada",  "folder":"in", "n":1.50 }';
    expect(await post("read_mail", "mail", sent)).toBe(sent);
    expect(await post("write_to_customer", "renamed", '{ "folder":1, "n" : 1.50, "to":"\\u0061" }')).toBe(
      '{"folder":"sent","copies":2,"n":1.50,"to":"\\u0061"}',
    );
  });

  it("stores a reason that the client gives, searchable, and does not send it to the tool", async () => {
    await create({ name: "asking", tools: ["read_mail"], askReason: true });
    const client = await connect("asking");
    const [shown] = (await client.listTools()).tools;
    expect(shown?.inputSchema.properties).toHaveProperty("reason");
    expect(shown?.inputSchema.required).toEqual(["to", "folder"]);
    const args = { to: "ada", folder: "in", reason: "The customer waits for invoice 4711" };
    const { content } = await client.callTool({ name: "read_mail", arguments: args });
    expect(JSON.stringify(content)).not.toContain("4711");
    const stored = await newest();
    expect(stored).toMatchObject({ reason: args.reason, toolset: "asking" });
    expect(stored.argumentsText).toBe('{"to":"ada","folder":"in"}');
    expect((await list({ q: "invoice 4711" })).map(({ id }) => id)).toEqual([stored.id]);
    const listed = await list({ toolset: "asking" });
    expect(listed.map(({ id }) => id)).toEqual([stored.id]);
    await client.close();
  });

  it("announces a change of the toolset, and is not found once it is deleted", async () => {
    await create({ name: "passing", tools: ["read_mail"] });
    const client = new Client({ name: "t", version: "1" });
    await client.connect(new StreamableHTTPClientTransport(new URL(`${server.url}/sets/passing`)));
    let changes = 0;
    client.setNotificationHandler("notifications/tools/list_changed", () => {
      changes += 1;
    });
    expect((await client.listTools()).tools).toHaveLength(1);
    const input = toolsetInputSchema.parse({ name: "passing", tools: ["read_mail", "send_mail"] });
    await services().toolsets.update(LOCAL_PRINCIPAL, "passing", input);
    await waitUntil(() => changes > 0, { what: "the announcement" });
    expect((await client.listTools()).tools).toHaveLength(2);
    await services().toolsets.delete(LOCAL_PRINCIPAL, "passing");
    await expect(connect("passing")).rejects.toThrow("There is no toolset 'passing' here");
    await client.close();
  });

  it("asks for approval, or not, as the toolset says", async () => {
    const overrides = (approval: string) => [{ tool: "read_mail", approval, timeoutMs: 1234 }];
    await create({ name: "careful", tools: ["read_mail"], overrides: overrides("always") });
    const client = await connect("careful");
    const calling = client.callTool({ name: "read_mail", arguments: { to: "ada", folder: "in" } });
    const open = async () => (await services().approvals.list("open", undefined, 10)).items;
    await waitUntil(async () => (await open()).length === 1, { what: "the request for approval" });
    const [item] = await open();
    await services().approvals.decide(LOCAL_PRINCIPAL, item?.executionId ?? "", { approved: true });
    expect((await calling).isError).not.toBe(true);
    expect(await newest()).toMatchObject({ toolset: "careful", timeoutMs: 1234, status: "succeeded" });
    await services().tools.setApproval(LOCAL_PRINCIPAL, "read_mail", "always");
    await create({ name: "trusted", tools: ["read_mail"], overrides: overrides("never") });
    const trusted = await connect("trusted");
    await trusted.callTool({ name: "read_mail", arguments: { to: "ada", folder: "in" } });
    expect(await newest()).toMatchObject({ toolset: "trusted", status: "succeeded", approval: null });
    await services().tools.setApproval(LOCAL_PRINCIPAL, "read_mail", null);
    await client.close();
    await trusted.close();
  });
});

describe("a toolset with discovery", () => {
  const call = async (client: Client, name: string, args: object) => {
    const { content, isError } = await client.callTool({ name, arguments: { ...args } });
    const [{ text }] = content as unknown as [{ text: string }];
    return { text, isError: isError === true };
  };

  it("lists search_tools, call_tool and the pinned tools, and finds the others by words", async () => {
    await create({
      name: "finding",
      patterns: ["*_mail"],
      overrides: [{ tool: "wipe_mail", name: "deleteEverything", description: "Empties a mailbox for good" }],
      discovery: true,
      pinned: ["read_mail"],
      askReason: true,
    });
    const client = await connect("finding");
    const names = (await client.listTools()).tools.map(({ name }) => name);
    expect(names).toEqual(["call_tool", "read_mail", "search_tools"]);
    const first = async (query: string) => JSON.parse((await call(client, "search_tools", { query })).text).tools[0];
    expect(await first("empty the mailbox")).toMatchObject({ name: "deleteEverything" });
    expect(await first("delete")).toMatchObject({ name: "deleteEverything" });
    expect((await first("send")).inputSchema.required).toEqual(["to", "folder"]);
    expect((await call(client, "search_tools", { query: "zeppelin" })).text).toContain("there are 3 tools");
    await client.close();
  });

  it("runs what call_tool names like any call: validated, recorded as the real tool, with its arguments as sent", async () => {
    const client = await connect("finding");
    const args = { to: "ada", folder: "in" };
    await call(client, "call_tool", { name: "deleteEverything", arguments: args, reason: "Asked by Ada" });
    expect(await newest()).toMatchObject({ toolName: "wipe_mail", toolset: "finding", reason: "Asked by Ada" });
    expect((await newest()).argumentsText).toBe(JSON.stringify(args));
    await call(client, "call_tool", { name: "send_mail", arguments: JSON.stringify(args) });
    expect(await newest()).toMatchObject({ toolName: "send_mail", status: "succeeded" });
    const invalid = await call(client, "call_tool", { name: "send_mail", arguments: { to: 5 } });
    expect([invalid.isError, invalid.text.includes("folder")]).toEqual([true, true]);
    expect(await newest()).toMatchObject({ toolName: "send_mail", errorKind: "invalid_arguments" });
    await client.close();
  });

  it("suggests the nearest tool for an unknown name, and names what a call lacks", async () => {
    const client = await connect("finding");
    const unknown = await call(client, "call_tool", { name: "sendMail", arguments: {} });
    expect(unknown).toMatchObject({ isError: true, text: expect.stringContaining("did you mean 'send_mail'") });
    const outside = await call(client, "call_tool", { name: "wipe_mail", arguments: {} });
    expect(outside).toMatchObject({ isError: true });
    expect((await call(client, "call_tool", {})).text).toContain("name");
    await client.close();
  });
});
