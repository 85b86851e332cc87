import { createConnection } from "node:net";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { waitUntil } from "../../src/lib/wait-until.test-support";
import { FIRST_START_MS, goneProcess, isAlive, type RunningServer, startServer } from "./zwave-mcp-server.test-support";

/** The simulated network takes its time on a busy machine. */
const SIMULATION_MS = 120_000;
/** A library in the server's own process that prints whenever it likes, once the server has reserved stdout. */
const CHATTY_LIBRARY = `const write = process.stdout.write;
setInterval(() => {
  if (process.stdout.write === write) return;
  console.log("noise of a library");
  process.stdout.write("half a line of it");
}, 20).unref();`;

const NETWORK_PROCESS = /simulated network is process (\d+)/;

const isRefused = (url: string) =>
  new Promise<boolean>((resolve) => {
    const socket = createConnection(Number(new URL(url).port), "127.0.0.1");
    socket.once("connect", () => resolve(false)).once("error", () => resolve(true));
    socket.once("connect", () => socket.destroy());
  });

describe("the Z-Wave server on its simulated house", () => {
  let server: RunningServer;
  beforeAll(async () => {
    server = startServer({
      ZWAVE_SERVER_URL: "",
      ZWAVE_LOG_LEVEL: "debug",
      NODE_OPTIONS: `--import data:text/javascript,${encodeURIComponent(CHATTY_LIBRARY)}`,
    });
    await server.initialize();
    // Devices are interviewed one by one; until then they have no name.
    const areReady = async () => {
      const { structuredContent } = await server.call("list_devices");
      return structuredContent.devices.every(({ ready }: { ready: boolean }) => ready);
    };
    await waitUntil(areReady, { what: "the devices", timeoutMs: SIMULATION_MS });
  }, FIRST_START_MS);
  afterAll(() => server.end());

  it("MCP-04 lists its tools with schemas of arguments and results, and what they do to the world", async () => {
    const { result } = await server.request("tools/list");
    const hints = Object.fromEntries(
      result.tools.map((tool: { name: string; annotations: object }) => [tool.name, tool.annotations]),
    );
    const reads = { readOnlyHint: true, destructiveHint: false };
    const sets = { readOnlyHint: false, destructiveHint: false, idempotentHint: true };
    expect(hints).toMatchObject({
      list_devices: reads,
      get_device: reads,
      get_sensor: reads,
      set_switch: sets,
      set_level: sets,
    });
    for (const tool of result.tools) {
      expect(tool).toMatchObject({ title: expect.any(String), description: expect.any(String) });
      expect(tool.outputSchema).toMatchObject({ type: "object" });
      for (const property of Object.values(tool.inputSchema.properties)) {
        expect(property).toMatchObject({ description: expect.any(String) });
      }
    }
  });

  it("MCP-04 lists the devices of the house, also by room and by what they can do", async () => {
    const { structuredContent, content } = await server.call("list_devices");
    expect(structuredContent.devices).toMatchObject([
      { node_id: 2, name: "Hall light", location: "Hall", capabilities: ["switch"], ready: true },
      { node_id: 3, name: "Dining lamp", location: "Dining room", capabilities: ["level"] },
      { node_id: 4, name: "Climate sensor", location: "Living room", capabilities: ["sensor"] },
      { node_id: 5, name: "Front door", location: "Hall", capabilities: ["sensor"] },
      { node_id: 6, name: "Coffee machine", location: "Kitchen", capabilities: ["switch", "sensor"] },
      { node_id: 7, name: "Kitchen light", location: "Kitchen", capabilities: ["switch"] },
    ]);
    expect(JSON.parse(content[0].text)).toEqual(structuredContent);
    const switches = await server.call("list_devices", { location: "hall", capability: "switch" });
    expect(switches.structuredContent.devices).toMatchObject([{ node_id: 2 }]);
  });

  it("MCP-04 a switch is what it was set to when the device is read back", async () => {
    for (const on of [true, false]) {
      const set = await server.call("set_switch", { node_id: 2, on });
      expect(set.structuredContent).toEqual({ node_id: 2, name: "Hall light", endpoint: 0, on, confirmed: true });
      const { structuredContent } = await server.call("get_device", { node_id: 2 });
      expect(structuredContent.values).toContainEqual(expect.objectContaining({ property: "currentValue", value: on }));
    }
  });

  it("MCP-04 a dimmer is at the level it was set to when the device is read back", async () => {
    const set = await server.call("set_level", { node_id: 3, level: 60 });
    expect(set.structuredContent).toMatchObject({ level: 60, confirmed: true, moving: false });
    const { structuredContent } = await server.call("get_device", { node_id: 3 });
    expect(structuredContent.values).toContainEqual(expect.objectContaining({ property: "currentValue", value: 60 }));
  });

  it("MCP-04 reads sensors with units and meanings, all or by name", async () => {
    const { structuredContent } = await server.call("get_sensor", { node_id: 4 });
    expect(structuredContent.readings).toMatchObject([
      { label: "Air temperature", unit: "°C", value: expect.any(Number) },
      { label: "Illuminance", unit: "Lux" },
      { label: "Humidity", unit: "%" },
      { label: "Motion sensor status", meaning: expect.stringMatching(/idle|Motion detection/) },
      { label: "Battery level", unit: "%", value: 87 },
    ]);
    const door = await server.call("get_sensor", { node_id: 5, sensor: "door state (simple)" });
    expect(door.structuredContent.readings).toMatchObject([{ meaning: expect.stringMatching(/open|closed/) }]);
  });

  it.each([
    ["list_devices", { location: "attic" }, "Rooms: Hall, Dining room"],
    ["get_device", { node_id: 42 }, "There is no node 42. Devices: 2 (Hall light), 3 (Dining lamp)"],
    ["get_device", { node_id: 1 }, "controller itself"],
    ["set_switch", { node_id: 4, on: true }, "cannot be switched. For this device use get_sensor"],
    ["set_switch", { node_id: 2, on: true, endpoint: 3 }, "no endpoint 3 to set. It has 0"],
    ["set_level", { node_id: 3, level: 150 }, "level must be a whole number from 0 (off) to 99 (full)"],
    ["set_level", { node_id: 2, level: 10 }, "Devices that can: 3 (Dining lamp)"],
    ["get_sensor", { node_id: 4, sensor: "co2" }, "It has: Air temperature"],
    ["get_sensor", { node_id: 2 }, "Devices that can: 4 (Climate sensor)"],
    ["get_sensor", { node: 4 }, 'Unrecognized key: "node"'],
  ])("MCP-04 a wrong call of %s with %j is answered with the way out", async (tool, args, wayOut) => {
    expect(await server.call(tool, args)).toMatchObject({
      isError: true,
      content: [{ type: "text", text: expect.stringContaining(wayOut) }],
    });
  });

  // The last test of this server: it ends it.
  it("MCP-01, MCP-04 writes one JSON-RPC message per stdout line to the end, whatever its libraries print, and answers what was written before stdin closed", async () => {
    server.write("this is not JSON");
    expect(await server.request("no/such_method")).toMatchObject({ error: { code: -32601 } });
    expect(await server.request("ping")).toMatchObject({ result: {} });
    const pid = Number(await server.logged(NETWORK_PROCESS));
    const url = await server.logged(/devices at (ws:\S+)/);
    expect(isAlive(pid)).toBe(true);
    const last = server.call("set_switch", { node_id: 2, on: true });
    server.child.stdin.end();

    expect(await last).toMatchObject({ structuredContent: { on: true, confirmed: true } });
    expect(await server.closed).toEqual({ code: 0, signal: null });
    expect(isAlive(pid)).toBe(false);
    expect(await isRefused(url)).toBe(true);
    for (const line of server.lines) expect(JSON.parse(line)).toMatchObject({ jsonrpc: "2.0", id: expect.any(Number) });
    expect(server.stderr()).toContain("noise of a library");
    expect(server.stderr()).toMatch(/CNTRLR .*\[Node 002\]/);
  });
});

describe("the Z-Wave server's end", () => {
  it.each(["SIGTERM", "SIGINT"] as const)("MCP-04 ends with its network on %s", async (signal) => {
    const server = startServer({ ZWAVE_SERVER_URL: "" });
    await server.initialize();
    const pid = Number(await server.logged(NETWORK_PROCESS));
    server.child.kill(signal);
    expect(await server.closed).toEqual({ code: 0, signal: null });
    expect(isAlive(pid)).toBe(false);
  });

  it("MCP-04 leaves no network behind when it is killed", { timeout: SIMULATION_MS }, async () => {
    const server = startServer({ ZWAVE_SERVER_URL: "" });
    const pid = Number(await server.logged(NETWORK_PROCESS));
    await server.initialize();
    server.child.kill("SIGKILL");
    await server.closed;
    await goneProcess(pid);
    expect(isAlive(pid)).toBe(false);
  });
});
