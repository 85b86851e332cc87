import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { ToolDefinition } from "../../../lib/contract";
import { systemClock } from "../../create-tool-engine";
import { createScratchDatabase, type ScratchDatabase } from "../../db/test-database";
import { engineWith, mock, tool } from "../../engine/executor.test-support";
import { createToolService } from "./tool-service";
import { createToolStore } from "./tool-store";

let scratch: ScratchDatabase;
beforeEach(async () => {
  scratch = await createScratchDatabase();
});
afterEach(() => scratch.remove());

async function start() {
  const engine = engineWith();
  const tools = createToolService({
    registry: engine.registry,
    validator: engine.validator,
    store: createToolStore({ db: scratch.db }),
    handlers: engine.handlers,
    limits: engine.limits,
    hashOf: () => "hash",
    logger: { debug() {}, info() {}, warn() {}, error() {} },
    clock: systemClock,
    onChange: () => undefined,
  });
  await tools.load({ outcome: { registered: [], rejected: [] }, path: "c.json", problems: [] });
  return { tools, registry: engine.registry };
}

const of = (server: string, ...names: string[]): ToolDefinition[] =>
  names.map((name) => tool(`${server}__${name}`, { type: "mcp", server, tool: name }));

describe("tools of servers in the catalogue", () => {
  it("RTE-01 RTE-04 are those the server lists now; those of others and the team's own stay", async () => {
    const { tools, registry } = await start();
    await tools.create(JSON.stringify(mock("own", 1)));
    tools.setServerTools("a", of("a", "read", "write"));
    tools.setServerTools("b", of("b", "read"));
    tools.setServerTools("a", of("a", "read", "search"));
    expect(registry.list().map(({ name }) => name)).toEqual(["own", "a__read", "b__read", "a__search"]);
    expect(tools.get("a__read")).toMatchObject({ origin: "server", server: "a", editable: false });
    await expect(tools.update("a__read", "{}")).rejects.toThrow(/comes from the MCP server 'a'/);
  });

  it("REG-03 a name that an own tool has is refused, and the own tool stays", async () => {
    const { tools, registry } = await start();
    await tools.create(JSON.stringify(mock("a__read", 1)));
    expect(tools.setServerTools("a", of("a", "read", "write"))).toEqual([
      { name: "a__read", error: "the name 'a__read' is already taken by a tool from console" },
    ]);
    expect(registry.get("a__read")?.implementation.type).toBe("mock");
    expect(registry.get("a__write")).toBeDefined();
  });

  it("what a person switched off stays off: after another list, a restart and a rename", async () => {
    const first = await start();
    first.tools.setServerTools("a", of("a", "read", "write"));
    await first.tools.setEnabled("a__write", false);
    first.tools.setServerTools("a", []);
    first.tools.setServerTools("a", of("a", "read", "write"));
    expect(first.registry.get("a__write")).toBeUndefined();
    expect(first.tools.isSwitchedOff("a__write")).toBe(true);
    await first.tools.renameServerTools("a", "b");
    const second = await start();
    second.tools.setServerTools("a", of("a", "write"));
    second.tools.setServerTools("b", of("b", "read", "write"));
    expect(second.registry.list().map(({ name }) => name)).toEqual(["b__read"]);
  });
});
