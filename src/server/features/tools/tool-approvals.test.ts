import { afterEach, beforeEach, expect, it } from "vitest";
import { LOCAL_OWNER } from "../../../lib/contract/actor";
import type { ApprovalPolicy } from "../../../lib/contract/approval";
import type { ToolDefinition } from "../../../lib/contract/tool-definition";
import { catalogToolName } from "../../../lib/portable-name";
import { createToolEngine, type ToolEngine } from "../../create-tool-engine";
import { createScratchDatabase, type ScratchDatabase } from "../../platform/db/database.test-support";
import type { ToolService } from "./tool-service";
import { createTestToolService } from "./tool-service.test-support";

let scratch: ScratchDatabase;
let engine: ToolEngine;
let tools: ToolService;
let changes = 0;
const policies = new Map<string, ApprovalPolicy>();

beforeEach(async () => {
  policies.clear();
  scratch = await createScratchDatabase();
  engine = createToolEngine();
  await start();
});
afterEach(async () => {
  await engine.close();
  await scratch.remove();
});

async function start(): Promise<void> {
  changes = 0;
  tools = createTestToolService(engine, scratch.db, {
    serverPolicy: (server) => policies.get(server) ?? null,
    onChange: () => {
      changes += 1;
    },
  });
  await tools.load({ outcome: { registered: [], rejected: [] }, path: "config/toolroom.json", problems: [] });
}

function definition(name: string, more: Partial<ToolDefinition> = {}): ToolDefinition {
  return {
    name,
    description: "A tool of the catalog",
    type: "function",
    handler: name,
    parameters: { type: "object" },
    implementation: { type: "mock", mock_response: null },
    ...more,
  };
}
const create = (name: string, more: Partial<ToolDefinition> = {}) =>
  tools.create(LOCAL_OWNER, JSON.stringify(definition(name, more)));
const required = (name: string) => tools.asksFirst(tools.get(name).definition);

it("AGT-05 a tool says whether it asks and why, and a user's choice goes before that", async () => {
  const made = await create("wipe", { annotations: { destructiveHint: true } });
  expect(made.approval).toEqual({ required: true, because: "hint", mode: null });
  expect(required("wipe")).toBe(true);
  expect((await tools.setApproval(LOCAL_OWNER, "wipe", "never")).approval).toEqual({
    required: false,
    because: "person",
    mode: "never",
  });
  expect(required("wipe")).toBe(false);
  expect(tools.list().items[0]?.approval.mode).toBe("never");
  expect((await tools.setApproval(LOCAL_OWNER, "wipe", null)).approval.because).toBe("hint");
  expect(changes).toBe(3);
  await expect(tools.setApproval(LOCAL_OWNER, "nope", "always")).rejects.toMatchObject({ code: "NOT_FOUND" });
});

it("AGT-05 what a user chose is kept in the database and goes with a tool to its new name", async () => {
  await create("read");
  await tools.setApproval(LOCAL_OWNER, "read", "always");
  await tools.update(LOCAL_OWNER, "read", JSON.stringify(definition("peek")));
  expect(required("peek")).toBe(true);
  await engine.close();
  engine = createToolEngine();
  await start();
  expect(tools.get("peek").approval).toEqual({ required: true, because: "person", mode: "always" });
});

it("AGT-05 a new tool does not inherit what was chosen for an earlier one of its name", async () => {
  await create("wipe");
  await tools.setApproval(LOCAL_OWNER, "wipe", "never");
  const { id } = await tools.delete(LOCAL_OWNER, "wipe");
  expect((await tools.restore(LOCAL_OWNER, id)).approval.mode).toBe("never");
  await tools.delete(LOCAL_OWNER, "wipe");
  expect((await create("wipe", { approval: "always" })).approval).toEqual({
    required: true,
    because: "definition",
    mode: null,
  });
});

it("AGT-05 what was chosen for a server's tool goes with it when the server is renamed", async () => {
  const of = (server: string) =>
    definition(`${server}__erase`, { implementation: { type: "mcp", server, tool: "erase" } });
  await tools.setServerTools("files", [of("files")]);
  await tools.setApproval(LOCAL_OWNER, "files__erase", "always");
  await tools.renameServerTools({ from: "files", to: "disk", listed: [] });
  await tools.setServerTools("files", []);
  await tools.setServerTools("disk", [of("disk")]);
  expect(required("disk__erase")).toBe(true);
});

it("AGT-05 what was chosen for a server's tools outlives a passing list, not the server", async () => {
  const of = (server: string, tool: string) =>
    definition(`${server}__${tool}`, {
      implementation: { type: "mcp", server, tool },
      annotations: { destructiveHint: true },
    });
  const listed = [of("files", "erase"), of("files", "gone"), of("files", "read")];
  await create("files__own", { annotations: { destructiveHint: true } });
  await tools.setServerTools("files", listed);
  await tools.setServerTools("files_2", [of("files_2", "erase")]);
  for (const name of ["files__erase", "files__gone", "files__own", "files_2__erase"]) {
    await tools.setApproval(LOCAL_OWNER, name, "never");
  }
  await tools.setApproval(LOCAL_OWNER, "files__read", "always");
  await tools.setServerTools("files", []);
  await tools.setServerTools("files", [of("files", "erase"), of("files", "read")]);
  expect(required("files__erase")).toBe(false);

  for (const keepFacts of [true, false]) {
    await tools.forgetServerTools("files", { keepFacts });
    expect([required("files__erase"), tools.get("files__read").approval.mode]).toEqual([true, "always"]);
  }
  await tools.setServerTools("files", listed);
  expect(required("files__gone")).toBe(true);
  expect([required("files__own"), required("files_2__erase")]).toEqual([false, false]);

  await engine.close();
  engine = createToolEngine();
  await start();
  await tools.setServerTools("files", listed);
  expect(listed.map(({ name }) => required(name))).toEqual([true, true, true]);
});

it("AGT-05 a server's approval policy applies to its tools at once, and to no others; a tool's own setting wins", async () => {
  const erase = definition("files__erase", {
    implementation: { type: "mcp", server: "files", tool: "erase" },
    annotations: { destructiveHint: true },
  });
  const read = definition("files__read", { implementation: { type: "mcp", server: "files", tool: "read" } });
  await tools.setServerTools("files", [erase, read]);
  await create("files__own", { annotations: { destructiveHint: true } });
  expect([required("files__erase"), required("files__read")]).toEqual([true, false]);

  policies.set("files", "never");
  expect([required("files__erase"), required("files__read"), required("files__own")]).toEqual([false, false, true]);
  expect(tools.get("files__erase").approval).toEqual({ required: false, because: "server", mode: null });

  policies.set("files", "always");
  expect(tools.getApproval("files__read")).toEqual({ required: true, because: "server", mode: null });
  await tools.setApproval(LOCAL_OWNER, "files__read", "never");
  expect(tools.getApproval("files__read")).toEqual({ required: false, because: "person", mode: "never" });
  expect(tools.getApproval("nope")).toBeNull();
});

it("AGT-05 a server that takes a name by being renamed does not take over what was chosen under it", async () => {
  const of = (server: string, ...names: string[]) =>
    names.map((tool) =>
      definition(`${server}__${tool}`, {
        implementation: { type: "mcp", server, tool },
        annotations: { destructiveHint: true },
      }),
    );
  await tools.setServerTools("disk", of("disk", "erase"));
  await tools.setApproval(LOCAL_OWNER, "disk__erase", "never");
  await tools.setServerTools("disk", []);
  await tools.setServerTools("files", of("files", "read"));
  await tools.setApproval(LOCAL_OWNER, "files__read", "never");
  await tools.renameServerTools({ from: "files", to: "disk", listed: [] });
  await tools.setServerTools("files", []);
  await tools.setServerTools("disk", of("disk", "read", "erase"));
  expect([required("disk__read"), required("disk__erase")]).toEqual([false, true]);
});

it("AGT-05 a setting that requires approval stays with the name when its tool is deleted and created again", async () => {
  await create("wire");
  await tools.setApproval(LOCAL_OWNER, "wire", "admin");
  const { id } = await tools.delete(LOCAL_OWNER, "wire");
  expect(tools.keptApprovals()).toEqual([{ name: "wire", mode: "admin" }]);
  expect((await create("wire", { approval: "never" })).approval).toMatchObject({ required: true, mode: "admin" });
  await tools.delete(LOCAL_OWNER, "wire");
  expect((await tools.restore(LOCAL_OWNER, id)).approval.mode).toBe("admin");
  await tools.delete(LOCAL_OWNER, "wire");
  expect(await tools.liftApproval(LOCAL_OWNER, "wire")).toEqual({ name: "wire", mode: "admin" });
  expect((await create("wire")).approval).toMatchObject({ required: false, mode: null });
  await expect(tools.liftApproval(LOCAL_OWNER, "wire")).rejects.toMatchObject({ code: "NOT_FOUND" });
});

it("AGT-05 a renamed tool takes its approvers along, leaves them at the old name, and joins those of the new one", async () => {
  await create("wire");
  await create("pay");
  await tools.setApproval(LOCAL_OWNER, "wire", "admin");
  await tools.setApproval(LOCAL_OWNER, "pay", "never");
  const rename = (from: string, to: string) => tools.update(LOCAL_OWNER, from, JSON.stringify(definition(to)));
  expect((await rename("wire", "transfer")).approval.mode).toBe("admin");
  expect(tools.keptApprovals()).toEqual([{ name: "wire", mode: "admin" }]);
  expect((await rename("pay", "wire")).approval.mode).toBe("admin");
  expect(tools.keptApprovals()).toEqual([]);
  expect((await create("pay")).approval.mode).toBeNull();
});

it("AGT-05 the approvers of a server's tools go with a rename while the server lists none, and stay at the old names", async () => {
  const of = (server: string) =>
    definition(`${server}__wire`, { implementation: { type: "mcp", server, tool: "wire" } });
  await tools.setServerTools("bank", [of("bank")]);
  await tools.setApproval(LOCAL_OWNER, "bank__wire", "admin");
  // It is disabled.
  await tools.setServerTools("bank", []);
  await tools.renameServerTools({ from: "bank", to: "shop", listed: ["wire"] });
  await tools.setServerTools("shop", [of("shop")]);
  expect(tools.get("shop__wire").approval.mode).toBe("admin");
  await tools.setServerTools("shop", []);
  await tools.renameServerTools({ from: "other", to: "bank", listed: ["wire"] });
  await tools.setServerTools("bank", [of("bank")]);
  expect(tools.get("bank__wire").approval.mode).toBe("admin");
});

it("AGT-05 the approvers of a tool with an alias go with two renames of a server that does not list it meanwhile", async () => {
  const of = (server: string) =>
    definition(catalogToolName(server, "wire money!"), {
      implementation: { type: "mcp", server, tool: "wire money!" },
    });
  await tools.setServerTools("bank", [of("bank")]);
  await tools.setApproval(LOCAL_OWNER, of("bank").name, "admin");
  await tools.setServerTools("bank", []);
  // A tool created under the name meanwhile does not hide the server's tool.
  await create(of("bank").name);
  await tools.delete(LOCAL_OWNER, of("bank").name);
  await tools.renameServerTools({ from: "bank", to: "shop", listed: [] });
  await tools.renameServerTools({ from: "shop", to: "trade", listed: [] });
  await tools.setServerTools("trade", [of("trade")]);
  expect(tools.get(of("trade").name).approval.mode).toBe("admin");
});

it("AGT-05 a change of an approval setting is refused where another one came between", async () => {
  await create("wire");
  const lower = tools.setApproval(LOCAL_OWNER, "wire", "admin").then(() => "set");
  const late = tools.setApproval(LOCAL_OWNER, "wire", "never");
  expect(await lower).toBe("set");
  await expect(late).rejects.toMatchObject({ code: "CONFLICT" });
  await scratch.db.prisma.toolApprovalMode.update({ where: { name: "wire" }, data: { mode: "editor" } });
  await expect(tools.setApproval(LOCAL_OWNER, "wire", null)).rejects.toMatchObject({ code: "CONFLICT" });
  expect(tools.get("wire").approval.mode).toBe("editor");
});

it("AGT-05 a toolset lifts no setting that names an approver", async () => {
  await create("wire");
  const inToolset = (said?: boolean) => tools.asksFirst(tools.get("wire").definition, said);
  await tools.setApproval(LOCAL_OWNER, "wire", "always");
  expect([inToolset(), inToolset(false), inToolset(true)]).toEqual([true, false, true]);
  await tools.setApproval(LOCAL_OWNER, "wire", "admin");
  expect([inToolset(), inToolset(false)]).toEqual([true, true]);
});

it("AGT-05 a definition's `approval` is `always` or `never`, or the fault says so", async () => {
  const text = JSON.stringify({ ...definition("odd"), approval: "sometimes" });
  expect(tools.checkDefinition(text, undefined).problems).toEqual([
    { path: "approval", message: expect.stringContaining('must be "always" or "never"') },
  ]);
  await expect(tools.create(LOCAL_OWNER, text)).rejects.toMatchObject({ code: "INVALID" });
  expect((await create("good", { approval: "never", annotations: { destructiveHint: true } })).approval).toEqual({
    required: false,
    because: "definition",
    mode: null,
  });
});
