import { afterEach, describe, expect, it } from "vitest";
import type { ToolDefinition } from "../../../lib/contract/tool-definition";
import { begin, buildCall, post, startGateway, type TestGateway, tool } from "./gateway.test-support";
import type { GatewayPorts } from "./gateway-ports";

let test: TestGateway;
afterEach(() => test.close());

const ANSWER = { content: [{ type: "text", text: "from the server" }] };
const executed: string[] = [];

/** A server's tool that becomes known while the executor looks for it, as with a server that is still connecting. */
async function withLateTools(names: string[], prepare?: GatewayPorts["prepare"]): Promise<ToolDefinition[]> {
  executed.length = 0;
  const known: ToolDefinition[] = [];
  const late = names.map((name) => {
    const [server = "", own = ""] = name.split("__");
    return tool(name, { type: "mcp", server, tool: own });
  });
  const connect = (): void => {
    known.push(...late.splice(0));
    test.changed();
  };
  test = await startGateway({
    ports: {
      tools: () => known,
      serverNames: () => ["files", "notes"],
      executor: {
        execute: async (name: string) => {
          executed.push(name);
          connect();
          return (
            known.some((one) => one.name === name)
              ? { success: true, result: ANSWER, tool_name: name, execution_time_ms: 1 }
              : { success: false, error: `Tool '${name}' not found`, error_kind: "not_found" }
          ) as never;
        },
      },
      ...(prepare === undefined ? {} : { prepare: (name, signal) => prepare(name, signal).then(connect) }),
    },
  });
  return known;
}

async function callAt(url: string, name: string) {
  return await (await post(url, buildCall(name, 1), await begin(url))).json();
}

describe("a tool whose server is still connecting", () => {
  it("OUT-02 answers as its server does, also when it came during the call", async () => {
    await withLateTools(["files__read"]);
    expect((await callAt(test.url, "files__read")).result).toEqual(ANSWER);
  });

  it("RTE-01 never runs through the address of another server or past a filter", async () => {
    for (const address of ["/files", "?tools=files__read", "/files?names=plain", "/notes?tools=other"]) {
      await withLateTools(["notes__read"]);
      expect((await callAt(test.url + address, "notes__read")).error?.code).toBe(-32602);
      expect(executed).not.toContain("notes__read");
      if (address !== "/notes?tools=other") await test.close();
    }
  });

  it("is waited for and found by its own name and by a filter", async () => {
    const asked: string[] = [];
    const prepare = async (name: string) => {
      asked.push(name);
    };
    for (const [address, name] of [
      ["/files?names=plain", "read"],
      ["/files?names=plain&tools=read", "read"],
      ["?tools=files__read", "files__read"],
    ] as const) {
      await withLateTools(["files__read"], prepare);
      expect((await callAt(test.url + address, name)).result).toEqual(ANSWER);
      expect([asked.splice(0), executed]).toEqual([["files__read"], ["files__read"]]);
      await test.close();
    }
    await withLateTools(["files__read"], prepare);
    expect((await callAt(test.url, "files__nothing")).error.code).toBe(-32602);
    expect(executed).toEqual(["files__nothing"]);
  });
});

it("a plain name of the whole catalog waits for the servers that connect", async () => {
  const known: ToolDefinition[] = [];
  const executed: string[] = [];
  test = await startGateway({
    ports: {
      tools: () => known,
      serverNames: () => ["files"],
      awaitFirstLists: async () => {
        await Promise.resolve();
        known.splice(0, known.length, tool("files__read", { type: "mcp", server: "files", tool: "read" }));
        test.changed();
      },
      executor: {
        execute: async (name: string) => {
          executed.push(name);
          return { success: true, result: ANSWER, tool_name: name, execution_time_ms: 1 } as never;
        },
      },
    },
  });
  expect((await callAt(`${test.url}?names=plain`, "read")).result).toEqual(ANSWER);
  expect(executed).toEqual(["files__read"]);
});

describe("names of tools", () => {
  it("EXE-02 are refused without a record when they are longer than any can be", async () => {
    await withLateTools([]);
    const { error } = await callAt(test.url, "x".repeat(257));
    expect(error).toEqual({
      code: -32602,
      message: "params.name is longer than 256 characters: tools/list has the names",
    });
    expect(executed).toEqual([]);
    expect((await callAt(test.url, "x".repeat(256))).error.code).toBe(-32602);
    expect(executed.length).toBe(1);
  });
});

describe("the first list", () => {
  it("waits for servers of its address that connect, as long as the address says, and has their tools", async () => {
    const known: ToolDefinition[] = [];
    const asked: [readonly string[] | null, number | null][] = [];
    test = await startGateway({
      ports: {
        tools: () => known,
        serverNames: () => ["files"],
        awaitFirstLists: async (servers, limitMs) => {
          asked.push([servers, limitMs]);
          await Promise.resolve();
          known.splice(0, known.length, tool("files__read", { type: "mcp", server: "files", tool: "read" }));
          test.changed();
        },
      },
    });
    const list = { jsonrpc: "2.0", id: 1, method: "tools/list", params: {} };
    for (const address of ["", "/files", "?servers=files,notes&wait=45", "?wait=0"]) {
      const { result } = await (await post(test.url + address, list, await begin(test.url + address))).json();
      expect(result.tools).toMatchObject([{ name: "files__read" }]);
    }
    expect(asked).toEqual([
      [null, null],
      [["files"], null],
      [["files", "notes"], 45_000],
      [null, 0],
    ]);
    for (const wait of ["", "-1", "1.5", "601", "soon"]) {
      const refused = await post(`${test.url}?wait=${wait}`, list);
      expect([refused.status, await refused.text()]).toEqual([400, expect.stringContaining("wait= must be a number")]);
    }
  });
});

describe("an address that names servers", () => {
  it("serves their tools under their own names, and none of others or of Toolroom itself", async () => {
    const definitions = ["files__read", "files__both", "notes__write", "notes__both", "other__read"].map((name) => {
      const [server = "", own = ""] = name.split("__");
      return tool(name, { type: "mcp", server, tool: own });
    });
    const executed: string[] = [];
    test = await startGateway({
      ports: {
        tools: () => [...definitions, tool("echo", { type: "builtin", handler: "echo" })],
        serverNames: () => ["files", "notes", "other"],
        executor: {
          execute: async (name: string) => {
            executed.push(name);
            return { success: true, result: ANSWER, tool_name: name, execution_time_ms: 1 } as never;
          },
        },
      },
    });
    const url = `${test.url}?names=plain&servers=files,notes,gone`;
    const session = await begin(url);
    const list = { jsonrpc: "2.0", id: 1, method: "tools/list", params: {} };
    const { result } = await (await post(url, list, session)).json();
    expect(result.tools.map(({ name }: { name: string }) => name)).toEqual([
      "files__both",
      "notes__both",
      "read",
      "write",
    ]);
    await callAt(url, "read");
    for (const foreign of ["echo", "other__read"]) expect((await callAt(url, foreign)).error.code).toBe(-32602);
    expect(executed).toEqual(["files__read"]);
    const both = await post(`${test.url}/files?servers=notes`, list);
    expect([both.status, await both.text()]).toEqual([400, expect.stringContaining("servers= belongs to /mcp")]);
  });
});
