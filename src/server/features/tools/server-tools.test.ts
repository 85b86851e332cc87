import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { LOCAL_OWNER } from "../../../lib/contract/actor";
import type { ToolDefinition } from "../../../lib/contract/tool-definition";
import { engineWith, mock, tool } from "../../engine/executor/executor.test-support";
import { createScratchDatabase, type ScratchDatabase } from "../../platform/db/database.test-support";
import { createTestToolService } from "./tool-service.test-support";

let scratch: ScratchDatabase;
beforeEach(async () => {
  scratch = await createScratchDatabase();
});
afterEach(() => scratch.remove());

async function start() {
  const engine = engineWith();
  const tools = createTestToolService(engine, scratch.db);
  await tools.load({ outcome: { registered: [], rejected: [] }, path: "c.json", problems: [] });
  return { tools, registry: engine.registry };
}

const of = (server: string, ...names: string[]): ToolDefinition[] =>
  names.map((name) => tool(`${server}__${name}`, { type: "mcp", server, tool: name }));

describe("tools of servers in the catalog", () => {
  it("RTE-01 RTE-04 are those the server lists now; those of others and the team's own stay", async () => {
    const { tools, registry } = await start();
    await tools.create(LOCAL_OWNER, JSON.stringify(mock("own", 1)));
    await tools.setServerTools("a", of("a", "read", "write"));
    await tools.setServerTools("b", of("b", "read"));
    await tools.setServerTools("a", of("a", "read", "search"));
    expect(registry.list().map(({ name }) => name)).toEqual(["own", "a__read", "b__read", "a__search"]);
    await tools.setServerTools("a", of("a", "search", "read"));
    expect(tools.listedOrder("a")).toEqual(["a__search", "a__read"]);
    expect(tools.get("a__read")).toMatchObject({ origin: "server", server: "a", editable: false });
    await expect(tools.update(LOCAL_OWNER, "a__read", "{}")).rejects.toThrow(/comes from the server 'a'/);
  });

  it("REG-03 a name that an own tool has is refused, and the own tool stays", async () => {
    const { tools, registry } = await start();
    await tools.create(LOCAL_OWNER, JSON.stringify(mock("a__read", 1)));
    expect(await tools.setServerTools("a", of("a", "read", "write"))).toEqual([
      { name: "a__read", error: "the name 'a__read' is already taken by a tool from console" },
    ]);
    expect(registry.get("a__read")?.implementation.type).toBe("mock");
    expect(registry.get("a__write")).toBeDefined();
  });

  it("what a user switched off stays off: after another list, a restart and a rename", async () => {
    const first = await start();
    await first.tools.setServerTools("a", of("a", "read", "write"));
    await first.tools.setEnabled(LOCAL_OWNER, "a__write", false);
    await first.tools.setServerTools("a", []);
    await first.tools.setServerTools("a", of("a", "read", "write"));
    expect(first.registry.get("a__write")).toBeUndefined();
    expect(first.tools.isSwitchedOff("a__write")).toBe(true);
    await first.tools.renameServerTools({ from: "a", to: "b", listed: [] });
    const second = await start();
    await second.tools.setServerTools("a", of("a", "write"));
    await second.tools.setServerTools("b", of("b", "read", "write"));
    expect(second.registry.list().map(({ name }) => name)).toEqual(["b__read"]);
  });

  it("VAL-05 what is not checked of a tool's schema is in its details, and its list entry says so", async () => {
    const { tools } = await start();
    const [listed] = of("a", "read");
    if (listed === undefined) throw new Error("one tool was made");
    const parameters = { type: "object", properties: { s: { pattern: "(?>x)" } } };
    const shape = { pointer: "/type", keyword: "type", message: "`type` is missing" };
    const notes = new Map([["a__read", [shape]]]);
    expect(await tools.setServerTools("a", [{ ...listed, parameters }], { notes })).toEqual([]);
    const { schemaNotes } = tools.get("a__read");
    // Not checked, and left out of the lists of MCP clients.
    const pattern = "/properties/s/pattern";
    expect(schemaNotes.map(({ pointer }) => pointer)).toEqual(["/type", pattern, pattern]);
    expect(tools.schemaNotes("a__read")).toEqual(schemaNotes.slice(0, 2));
    expect(tools.schemaNotes("a__none")).toBeNull();
    const unchecked = tools.list().items[0]?.quality.filter(({ code }) => code === "schema_not_checked");
    expect(unchecked?.map(({ severity }) => severity)).toEqual(["info", "info"]);
    await tools.setServerTools("a", [{ ...listed, parameters }], {});
    expect(tools.get("a__read").schemaNotes).toHaveLength(2);
  });

  it("REG-04 an own tool may keep what cannot be checked, with a warning; a keyword of a wrong type stays an error", async () => {
    const { tools } = await start();
    const draft = (parameters: object): string => JSON.stringify({ ...mock("own", 1), parameters });
    const kept = draft({ type: "object", properties: { s: { pattern: "(?>x)" }, f: { format: "iban" } } });
    const { problems, quality } = tools.checkDefinition(kept, undefined);
    expect(problems).toEqual([]);
    expect(quality.filter(({ code }) => code === "schema_not_checked")).toEqual([
      { code: "schema_not_checked", severity: "warning", message: expect.stringContaining("`pattern` of `s`") },
      { code: "schema_not_checked", severity: "warning", message: expect.stringContaining("`format` of `f`") },
    ]);
    expect((await tools.create(LOCAL_OWNER, kept)).schemaNotes).toHaveLength(3);
    const broken = tools.checkDefinition(draft({ type: "object", properties: null }), "own");
    expect(broken.problems).toEqual([
      { path: "parameters", message: expect.stringContaining("not a usable JSON Schema") },
    ]);
  });
});
