import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  ensureInstalled,
  FIRST_START_MS,
  goneProcess,
  type RunningServer,
  SERVER_DIR,
  startFakeZwaveServer,
  startServer,
} from "./zwave-mcp-server.test-support";

describe("the Z-Wave server on a zwave-js-server", () => {
  let zwave: Awaited<ReturnType<typeof startFakeZwaveServer>>;
  let server: RunningServer;
  beforeAll(async () => {
    await ensureInstalled();
    zwave = await startFakeZwaveServer();
    server = startServer({ ZWAVE_SERVER_URL: zwave.url });
    await server.initialize();
  }, FIRST_START_MS);
  afterAll(async () => {
    await server.end();
    await zwave.close();
  });

  const porchValues = async () => {
    const { structuredContent } = await server.call("get_device", { node_id: 7 });
    return structuredContent.values[0].value;
  };

  it("MCP-04 goes on after messages of the Z-Wave server that are no messages", async () => {
    expect(await porchValues()).toBe(false);
    const change = (args: unknown) =>
      JSON.stringify({ type: "event", event: { source: "node", event: "value updated", nodeId: 7, args } });
    for (const garbage of ["", "no JSON {", "null", "[1]", '{"type":"gossip"}', '{"type":"result","messageId":"99"}']) {
      zwave.say(garbage);
    }
    zwave.say(Buffer.from([0, 255, 1]));
    for (const args of [null, 5, {}, { commandClass: "37" }]) zwave.say(change(args));
    zwave.say('{"type":"event","event":{"source":"node","event":"toString","nodeId":7}}');
    zwave.say(change({ commandClass: 37, endpoint: 0, property: "currentValue", newValue: true }));

    await server.logged(/ignored a message of the Z-Wave server.*binary/);
    await expect.poll(porchValues).toBe(true);
    expect(zwave.connections()).toBe(1);
    for (const line of server.lines) expect(JSON.parse(line)).toMatchObject({ jsonrpc: "2.0" });
  });

  it("MCP-04 connects again when the connection drops", async () => {
    await server.call("list_devices");
    const before = zwave.connections();
    zwave.drop();
    await server.logged(/lost the Z-Wave server/);
    expect(await server.call("set_switch", { node_id: 7, on: true })).toMatchObject({
      structuredContent: { name: "Porch light", on: true, confirmed: true },
    });
    expect(zwave.connections()).toBe(before + 1);
  });

  it("MCP-04 tells what the driver said when a device does not obey", async () => {
    const obeying = zwave.answers["node.set_value"] ?? {};
    const zwaveErrorMessage = "Failed to send the command after 3 attempts";
    zwave.answers["node.set_value"] = { success: false, errorCode: "zwave_error", zwaveErrorMessage };
    const failed = await server.call("set_switch", { node_id: 7, on: true });
    zwave.answers["node.set_value"] = { success: true, result: { result: { status: 2 } } };
    const refused = await server.call("set_switch", { node_id: 7, on: true });
    zwave.answers["node.set_value"] = obeying;
    expect(failed).toMatchObject({ isError: true, content: [{ text: expect.stringContaining(zwaveErrorMessage) }] });
    expect(refused).toMatchObject({ isError: true, content: [{ text: expect.stringContaining("refused") }] });
  });

  it("MCP-04 says that the outcome is unknown when the connection drops while a device is set", async () => {
    const obeying = zwave.answers["node.set_value"] ?? {};
    zwave.answers["node.set_value"] = null;
    zwave.received.length = 0;
    const call = server.call("set_switch", { node_id: 7, on: true });
    await expect.poll(() => zwave.received).toContain("node.set_value");
    zwave.drop();
    zwave.answers["node.set_value"] = obeying;
    const text = expect.stringMatching(/connection .* was lost.*Whether Node 7 .* is not known; look with get_device/);
    expect(await call).toMatchObject({ isError: true, content: [{ text }] });
  });

  it("MCP-04 names the address that nobody answers at, and works once somebody does", async () => {
    const passing = await startFakeZwaveServer();
    await passing.close();
    const lonely = startServer({ ZWAVE_SERVER_URL: passing.url });
    await lonely.initialize();
    expect(await lonely.call("list_devices")).toMatchObject({
      isError: true,
      content: [{ text: expect.stringContaining(`${passing.url} cannot be reached: nothing listens there`) }],
    });
    const back = await startFakeZwaveServer(passing.port);
    expect(await lonely.call("list_devices")).toMatchObject({ structuredContent: { devices: [{ node_id: 7 }] } });
    await lonely.end();
    await back.close();
  });

  it("MCP-04 works with the client of the SDK, which checks results against their schemas", async () => {
    const transport = new StdioClientTransport({
      command: process.execPath,
      args: [`${SERVER_DIR}/start.mjs`],
      env: { ...(process.env as Record<string, string>), ZWAVE_SERVER_URL: zwave.url },
      stderr: "ignore",
    });
    const client = new Client({ name: "test", version: "1" });
    await client.connect(transport);
    await client.listTools();
    const pid = transport.pid ?? 0;
    const results = [
      await client.callTool({ name: "list_devices", arguments: {} }),
      await client.callTool({ name: "get_device", arguments: { node_id: 7 } }),
      await client.callTool({ name: "set_switch", arguments: { node_id: 7, on: true } }),
    ];
    for (const result of results) expect(result).toMatchObject({ structuredContent: expect.any(Object) });
    await client.close();
    await goneProcess(pid);
  });
});
